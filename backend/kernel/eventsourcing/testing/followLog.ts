import { randomUUID } from 'node:crypto'
import { pause } from '../../backoff.ts'
import type { EventBatch, EventStore, NewEvent, Stored } from '../eventStore.port.ts'

/** Creates an event, by default with a new id. */
export function event(type: string, data: object = {}, id: string = randomUUID()): NewEvent {
  return { id, type, data, meta: { correlationId: 'c-1' } }
}

/** Returns a unique stream name. */
export function aStream(category = 'account'): string {
  return `${category}-${randomUUID()}`
}

/** Reads a stream to its end. */
export async function read(store: EventStore, stream: string, from?: number): Promise<Stored[]> {
  return await Array.fromAsync(store.readStream(stream, from))
}

interface Follow {
  readonly prefixes?: readonly [string, ...string[]]
  readonly from?: EventBatch['position']
  readonly maxBatch?: number
  readonly onLive?: () => void
  /** Delay after each batch, in milliseconds. */
  readonly slow?: number
  readonly until: (events: readonly Stored[], live: boolean) => boolean
}

/** Follows the log until `until` returns true. Returns the events and batches received. */
export async function follow(store: EventStore, { prefixes, from, maxBatch, onLive, slow, until }: Follow) {
  const enough = new AbortController()
  const events: Stored[] = []
  const batches: EventBatch[] = []
  const stop = (live: boolean) => until(events, live) && enough.abort()
  const subscription = store.subscribeAll({
    from,
    signal: enough.signal,
    ...(prefixes && { streamPrefixes: prefixes }),
    ...(maxBatch && { maxBatch }),
    onLive: () => {
      onLive?.()
      stop(true)
    },
  })
  for await (const batch of subscription) {
    batches.push(batch)
    events.push(...batch.events)
    if (slow) await pause(slow)
    stop(false)
  }
  return { events, batches }
}

/** Returns the ids of the events, in order. */
export const ids = (events: readonly { id: string }[]) => events.map(({ id }) => id)

/** Creates `count` events, numbered from 0. */
export const many = (count: number, type: string) => Array.from({ length: count }, (_, n) => event(type, { n }))
