import type { EventBatch, EventStore } from '../eventsourcing/eventStore.port.ts'
import type { Event } from '../eventsourcing/pure/decider.ts'
import type { Clock } from '../time.ts'
import type { Metrics } from './metrics.ts'

type EventSource = Pick<EventStore, 'subscribeAll'>

/**
 * Measures the lag of the read models that this process updates: the age of the oldest unprocessed event in seconds, or
 * 0 at the head of the log. While a projection keeps failing, or its subscription is silent, its lag grows.
 */
export function createProjectionLag({ gauge, projected }: Metrics, now: Clock = Date.now) {
  /** Creation time of each projection's oldest event in flight, in epoch milliseconds; undefined at the head. */
  const oldestInFlight = new Map<string, number | undefined>()
  const lag = gauge('kinora_projection_lag_seconds', 'Age of the oldest event that a read model has not processed.', [
    'projection',
  ])

  return {
    collect() {
      for (const [projection, since] of oldestInFlight)
        lag.set({ projection }, since === undefined ? 0 : Math.max(0, now() - since) / 1000)
    },

    /** Returns a store that measures the lag of the projection that subscribes to it. */
    follow(projection: string, store: EventSource): EventSource {
      const atHead = () => oldestInFlight.set(projection, undefined)
      async function* subscribeAll<E extends Event>(
        options: Parameters<EventStore['subscribeAll']>[0],
      ): AsyncGenerator<EventBatch<E>> {
        const onLive = () => {
          atHead()
          options.onLive?.()
        }
        const onSilent = (forMs: number) => {
          oldestInFlight.set(projection, now() - forMs)
          options.onSilent?.(forMs)
        }
        try {
          for await (const batch of store.subscribeAll<E>({ ...options, onLive, onSilent })) {
            const oldest = batch.events[0]
            if (oldest) oldestInFlight.set(projection, oldest.created.getTime())
            yield batch
            // The subscriber requests the next batch after it has processed this one.
            projected.inc({ projection }, batch.events.length)
            if (batch.live) atHead()
          }
        } finally {
          // After a stop, another process runs the projection and measures its lag.
          if (options.signal.aborted) atHead()
        }
      }
      return { subscribeAll }
    },
  }
}
