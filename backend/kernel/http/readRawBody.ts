import type { Context } from 'koa'
import { Rejection } from '../eventsourcing/pure/decider.ts'
import { ValidationError } from './problemDetails.ts'

/** Bytes of an oversized body that are read, so that the client receives the answer. */
const MAX_DISCARDED = 2 * 1024 * 1024

/**
 * Reads a request body as raw bytes, which signature checks require. Discards the rest of an oversized body, so that
 * the connection stays usable.
 * @throws Rejection payload_too_large; invalid_input when the client aborts
 * @example const event = JSON.parse((await readRawBody(ctx, 65_536)).toString())
 */
export function readRawBody({ req }: Pick<Context, 'req'>, maxBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let size = 0
  const append = (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    if (size <= maxBytes) return
    chunks.length = 0
    if (size > maxBytes + MAX_DISCARDED) req.destroy()
    reject(new Rejection('payload_too_large', 'The request is too large.'))
  }
  req.on('data', append)
  req.on('end', () => resolve(Buffer.concat(chunks)))
  const onAbort = () => reject(new Rejection('invalid_input', 'The request ended before its body did.'))
  req.on('error', onAbort)
  // A request that was aborted earlier emits no further event.
  if (req.destroyed) onAbort()
  return promise
}

/**
 * Reads a JSON body. Returns `{}` for an empty one, so that validation reports each missing field.
 * @throws Rejection as {@link readRawBody}; ValidationError invalid_json
 * @example const report = await readJson(ctx, 32_768)
 */
export async function readJson(ctx: Pick<Context, 'req'>, maxBytes: number): Promise<unknown> {
  return parseJson(await readRawBody(ctx, maxBytes))
}

/** Parses a body as {@link readJson} does. @throws ValidationError invalid_json */
export function parseJson(body: Buffer): unknown {
  // A byte order mark may be ignored (RFC 8259, section 8.1), and editors on Windows write one.
  const text = body.toString().replace(/^\ufeff/, '')
  try {
    return JSON.parse(text || '{}')
  } catch {
    throw new ValidationError([{ path: '', code: 'invalid_json' }])
  }
}
