import type { Context } from 'koa'
import { Rejection } from '../eventsourcing/pure/decider.ts'

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
