import type { EventBatch, EventStore, Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Event } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { type AnyProjection, streamPrefixesOf } from './projection.ts'

type EventSource = Pick<EventStore, 'subscribeAll'>

/** Maximum number of events in a batch. Larger ones save a little more, but block the event loop for up to 100 ms. */
const MAX_BATCH = 1_000

/**
 * Returns a store whose subscriptions all ask for the streams of all projections, and each deliver those of their own.
 * The store reads a page once for the projections that ask for the same one.
 */
export function sharedReads(store: EventSource, projections: readonly AnyProjection[]): EventSource {
  const [first, ...others] = new Set(projections.flatMap(streamPrefixesOf))
  const streamPrefixes = first === undefined ? undefined : ([first, ...others] as const)
  return {
    async *subscribeAll<E extends Event>(options: Parameters<EventStore['subscribeAll']>[0]) {
      const isOwn = ({ stream }: Stored<E>) =>
        options.streamPrefixes?.some((prefix) => stream.startsWith(prefix)) ?? true
      const shared = { maxBatch: MAX_BATCH, ...options, ...(streamPrefixes && { streamPrefixes }) }
      for await (const batch of store.subscribeAll<E>(shared))
        yield { ...batch, events: batch.events.filter(isOwn) } satisfies EventBatch<E>
    },
  }
}
