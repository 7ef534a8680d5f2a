import type { Context } from 'koa'
import { Rejection } from '../eventsourcing/decider.ts'

/** A request's body, byte for byte, as signatures need it. @throws Rejection payload_too_large */
export async function rawBody(ctx: Context, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of ctx.req as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new Rejection('payload_too_large', 'The request is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
