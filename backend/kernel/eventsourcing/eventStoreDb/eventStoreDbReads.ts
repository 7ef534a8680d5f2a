import { BACKWARDS, END, ErrorType, type EventStoreDBClient, START, type StreamingRead } from '@eventstore/db-client'
import { type GlobalPosition, NEWEST_AMONG, type Stored } from '../eventStore.port.ts'
import { PROBE_STREAM } from './eventStoreDbProbe.ts'
import { isOfType, toGlobalPosition, toStored } from './eventStoreDbRecords.ts'

/** Thrown when the server does not answer in time. The client has no timeouts for reads and for finding the leader. */
export class NoAnswer extends Error {
  override name = 'NoAnswer'
}

/**
 * Reads a stream in one call.
 * @param timeout milliseconds to wait for the next event
 * @throws NoAnswer
 */
export async function* readOnce(
  client: EventStoreDBClient,
  stream: string,
  from: number,
  timeout: number,
  maxCount = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<Stored> {
  const reading = client.readStream(stream, { fromRevision: from === 0 ? START : BigInt(from), maxCount })
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
    ended = !(error instanceof NoAnswer)
    if (!isOfType(error, ErrorType.STREAM_NOT_FOUND)) throw error
  } finally {
    // The client releases a call only after it is cancelled and read to its end.
    if (!ended) {
      void reading.cancel().catch(() => {})
      void Array.fromAsync({ [Symbol.asyncIterator]: () => iterator }).catch(() => {})
    }
  }
}

/** Collects all results of a short read within `timeout` milliseconds. @throws NoAnswer */
export async function withDeadline<T>(reading: StreamingRead<T>, timeout: number): Promise<T[]> {
  reading.on('error', () => {})
  try {
    return await withTimeout(Array.fromAsync(reading), timeout)
  } catch (error) {
    if (error instanceof NoAnswer) void reading.cancel().catch(() => {})
    throw error
  }
}

/** Returns the position of the last event of the log. @throws NoAnswer */
export async function readHead(client: EventStoreDBClient, timeout: number): Promise<GlobalPosition | undefined> {
  const last = { direction: BACKWARDS, fromPosition: END, maxCount: 1 } as const
  const [found] = await withDeadline(client.readAll(last), timeout)
  return found?.event?.position && toGlobalPosition(found.event.position)
}

/** Returns the position of the newest event that a subscription with these prefixes delivers. @throws NoAnswer */
export async function readNewest(
  client: EventStoreDBClient,
  prefixes: readonly string[] | undefined,
  timeout: number,
): Promise<GlobalPosition | undefined> {
  const isDelivered = (stream: string, type: string) =>
    !type.startsWith('$') &&
    (prefixes?.some((prefix) => stream.startsWith(prefix)) ?? (!stream.startsWith('$') && stream !== PROBE_STREAM))
  const last = { direction: BACKWARDS, fromPosition: END, maxCount: NEWEST_AMONG } as const
  const found = await withDeadline(client.readAll(last), timeout)
  const newest = found.find(({ event }) => event && isDelivered(event.streamId, event.type))?.event
  return newest?.position && toGlobalPosition(newest.position)
}

/** @throws NoAnswer */
export async function withTimeout<T>(work: Promise<T>, timeout: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`no answer in ${timeout} ms`)), timeout)
  })
  try {
    return await Promise.race([work, expired])
  } finally {
    clearTimeout(timer)
    // Prevents an unhandled rejection if the work fails after the timeout.
    work.catch(() => {})
  }
}
