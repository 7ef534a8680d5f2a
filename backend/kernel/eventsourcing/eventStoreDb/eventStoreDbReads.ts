import { ErrorType, type EventStoreDBClient, START, type StreamingRead } from '@eventstore/db-client'
import type { Stored } from '../eventStore.port.ts'
import { isOfType, toStored } from './eventStoreDbRecords.ts'

/** The server did not answer in time. The client knows no deadline for reads: it would wait for ever. */
export class SilentServer extends Error {
  override name = 'SilentServer'
}

/**
 * Reads a stream over one call.
 * @param patience milliseconds to wait for the next event  @throws SilentServer it did not come
 */
export async function* readOnce(
  client: EventStoreDBClient,
  stream: string,
  from: number,
  patience: number,
): AsyncGenerator<Stored> {
  const reading = client.readStream(stream, { fromRevision: from === 0 ? START : BigInt(from) })
  // An error that comes after the loop was left must not end the process.
  reading.on('error', () => {})
  const iterator = reading[Symbol.asyncIterator]()
  let ended = false
  try {
    for (;;) {
      const next = await inTime(iterator.next(), patience)
      if (next.done) break
      if (next.value.event) yield toStored(next.value.event)
    }
    ended = true
  } catch (error) {
    ended = !(error instanceof SilentServer)
    if (!isOfType(error, ErrorType.STREAM_NOT_FOUND)) throw error
  } finally {
    // Left early, the client would neither end the call nor forget it: it is cancelled, and read to its end.
    if (!ended) {
      void reading.cancel().catch(() => {})
      void readOut(iterator)
    }
  }
}

/** All that a short read answers. @throws SilentServer */
export async function withDeadline<T>(reading: StreamingRead<T>, patience: number): Promise<T[]> {
  reading.on('error', () => {})
  try {
    return await inTime(Array.fromAsync(reading), patience)
  } catch (error) {
    if (error instanceof SilentServer) void reading.cancel().catch(() => {})
    throw error
  }
}

async function inTime<T>(work: Promise<T>, patience: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SilentServer(`no answer in ${patience} ms`)), patience)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
    // Should it fail later, nobody asks any more.
    work.catch(() => {})
  }
}

async function readOut(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    while (!(await iterator.next()).done);
  } catch {
    // The cancelled call ends with an error.
  }
}
