import { ErrorType, type EventStoreDBClient, START, type StreamingRead } from '@eventstore/db-client'
import type { Stored } from '../eventStore.port.ts'
import { isOfType, toStored } from './eventStoreDbRecords.ts'

/** Thrown when the server does not answer in time. The client itself has no timeout for reads. */
class ReadTimeout extends Error {
  override name = 'ReadTimeout'
}

/**
 * Reads a stream in one call.
 * @param timeout milliseconds to wait for the next event
 * @throws ReadTimeout
 */
export async function* readOnce(
  client: EventStoreDBClient,
  stream: string,
  from: number,
  timeout: number,
): AsyncGenerator<Stored> {
  const reading = client.readStream(stream, { fromRevision: from === 0 ? START : BigInt(from) })
  // An error event after the loop has ended must not crash the process.
  reading.on('error', () => {})
  const iterator = reading[Symbol.asyncIterator]()
  let ended = false
  try {
    for (;;) {
      const next = await withTimeout(iterator.next(), timeout)
      if (next.done) break
      if (next.value.event) yield toStored(next.value.event)
    }
    ended = true
  } catch (error) {
    ended = !(error instanceof ReadTimeout)
    if (!isOfType(error, ErrorType.STREAM_NOT_FOUND)) throw error
  } finally {
    // The client releases a call only after it is cancelled and read to its end.
    if (!ended) {
      void reading.cancel().catch(() => {})
      void Array.fromAsync({ [Symbol.asyncIterator]: () => iterator }).catch(() => {})
    }
  }
}

/** Collects all results of a short read within `timeout` milliseconds. @throws ReadTimeout */
export async function withDeadline<T>(reading: StreamingRead<T>, timeout: number): Promise<T[]> {
  reading.on('error', () => {})
  try {
    return await withTimeout(Array.fromAsync(reading), timeout)
  } catch (error) {
    if (error instanceof ReadTimeout) void reading.cancel().catch(() => {})
    throw error
  }
}

async function withTimeout<T>(work: Promise<T>, timeout: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ReadTimeout(`no answer in ${timeout} ms`)), timeout)
  })
  try {
    return await Promise.race([work, expired])
  } finally {
    clearTimeout(timer)
    // Prevents an unhandled rejection if the work fails after the timeout.
    work.catch(() => {})
  }
}
