import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from 'koa'
import { Rejection } from '../../eventsourcing/pure/decider.ts'
import { ValidationError } from '../problemDetails.ts'
import { type Part, parseMultipart } from './parseMultipart.ts'

/** Bytes of the fields beside the file. */
const MAX_FIELDS_BYTES = 10_000
/** Bytes of a body beside its file: fields, headers and boundaries. */
const MAX_FRAME_BYTES = 65_536

type Request = Pick<Context, 'req' | 'request' | 'is' | 'get'>

/**
 * Reads the one file of a form, the part `file`, and passes it and the other fields to `use`. Frees the memory as
 * {@link withForm} does.
 * @throws ValidationError required, one_file, fields_too_large, and those of {@link parseMultipart}
 * @throws Rejection payload_too_large; unavailable when the client disconnects
 * @example await withFormFile(ctx, 20 << 20, (file) => normalise(file))
 */
export async function withFormFile<T>(
  ctx: Request,
  maxBytes: number,
  use: (file: Buffer, fields: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  if (!ctx.is('multipart')) throw new ValidationError([{ path: 'file', code: 'required' }])
  return withForm(ctx, maxBytes, (parts) => {
    const { file, fields } = split(parts)
    if (file.length > maxBytes) throw tooLarge()
    return use(file, fields)
  })
}

/**
 * Reads a form and passes its parts to `use`. Frees the memory when `use` has ended, because collections of garbage are too
 * rare for buffers of 20 MB.
 * @param maxBytes bytes of all files together
 * @throws ValidationError those of {@link parseMultipart}
 * @throws Rejection payload_too_large; unavailable when the client disconnects
 */
export async function withForm<T>(
  ctx: Request,
  maxBytes: number,
  use: (parts: readonly Part[]) => Promise<T>,
): Promise<T> {
  // Unwritten pages use no memory, so a false Content-Length is harmless.
  const limit = maxBytes + MAX_FRAME_BYTES
  const kept = Buffer.allocUnsafeSlow(Math.min(ctx.request.length ?? limit, limit))
  try {
    const body = kept.subarray(0, await readInto(kept, ctx))
    return await use(parseMultipart(body, ctx.get('Content-Type')))
  } finally {
    kept.buffer.transfer(0)
  }
}

const tooLarge = () => new Rejection('payload_too_large', 'The file is too large.')

/** Reads a request body. Returns its length. No other code writes into `kept`, so it can be freed when this has ended. */
async function readInto(kept: Buffer, { req, request }: Pick<Context, 'req' | 'request'>): Promise<number> {
  if ((request.length ?? 0) > kept.length) throw tooLarge()
  let length = 0
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (length + chunk.length > kept.length) throw tooLarge()
      length += chunk.copy(kept, length)
      // One chunk in each turn of the event loop: Node would read 2 MB in one.
      await nextTurn()
    }
    return length
  } catch (error) {
    if (error instanceof Rejection) throw error
    throw new Rejection('unavailable', 'The client disconnected.')
  }
}

function split(parts: readonly Part[]) {
  const { files = [], others = [] } = Object.groupBy(parts, ({ name }) => (name === 'file' ? 'files' : 'others'))
  if (files.length > 1) throw new ValidationError([{ path: 'file', code: 'one_file' }])
  if (others.reduce((sum, { content }) => sum + content.length, 0) > MAX_FIELDS_BYTES)
    throw new ValidationError([{ path: '', code: 'fields_too_large' }])
  const [file] = files
  if (!file || file.content.length === 0) throw new ValidationError([{ path: 'file', code: 'required' }])
  const fields = Object.fromEntries(others.map(({ name, content }) => [name, content.toString()]))
  return { file: file.content, fields }
}
