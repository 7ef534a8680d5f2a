import type { EventBatch, EventStore } from '../eventsourcing/eventStore.port.ts'
import type { Event } from '../eventsourcing/pure/decider.ts'
import type { Metrics } from './metrics.ts'

/**
 * How far the read models that this process keeps are behind, in seconds: the age of the oldest event that is not taken in
 * yet, and 0 at the head of the log. One that stumbles time after time grows old here.
 */
export function createProjectionLag({ gauge, projected }: Metrics, now: () => number = Date.now) {
  /** Instants, in epoch milliseconds, of the oldest event under way. */
  const behindSince = new Map<string, number | undefined>()
  const lag = gauge('kinora_projection_lag_seconds', 'Age of the oldest event that a read model has not taken in.', [
    'projection',
  ])

  return {
    collect() {
      for (const [projection, since] of behindSince)
        lag.set({ projection }, since === undefined ? 0 : Math.max(0, now() - since) / 1000)
    },

    /** The store as one projection reads it. */
    follow(projection: string, store: EventStore): EventStore {
      const atHead = () => behindSince.set(projection, undefined)
      async function* subscribeAll<E extends Event>(
        options: Parameters<EventStore['subscribeAll']>[0],
      ): AsyncGenerator<EventBatch<E>> {
        const onLive = () => {
          atHead()
          options.onLive?.()
        }
        try {
          for await (const batch of store.subscribeAll<E>({ ...options, onLive })) {
            const oldest = batch.events[0]
            if (oldest) behindSince.set(projection, oldest.created.getTime())
            yield batch
            // Asked for the next one, the reader has taken this one in.
            projected.inc({ projection }, batch.events.length)
            if (batch.live) atHead()
          }
        } finally {
          // Whoever was told to stop is behind no more: another process goes on.
          if (options.signal.aborted) atHead()
        }
      }
      return {
        append: (...args) => store.append(...args),
        readStream: (...args) => store.readStream(...args),
        subscribeAll,
        head: () => store.head(),
        close: () => store.close(),
      }
    },
  }
}
