import type { Context } from 'koa'
import { Rejection } from '../eventsourcing/pure/decider.ts'

/**
 * A request's body, byte for byte, as signatures need it. Of what is too large the rest is thrown away, so that
 * the connection is free for what comes next.
 *
 * @throws Rejection payload_too_large; invalid_input: the caller left before its end
 */
export function readRawBody({ req }: Pick<Context, 'req'>, maxBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let size = 0
  const take = (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    if (size <= maxBytes) return
    req.off('data', take).resume()
    reject(new Rejection('payload_too_large', 'The request is too large.'))
  }
  req.on('data', take)
  req.on('end', () => resolve(Buffer.concat(chunks)))
  req.on('error', () => reject(new Rejection('invalid_input', 'The request ended before its body did.')))
  return promise
}
