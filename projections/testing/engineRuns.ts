import { vi } from 'vitest'
import type { EventStore } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import type { AnyProjection } from '../engine/projection.ts'
import { runProjections } from '../engine/runProjections.ts'

/** Runs projections on a temporary database, each call like a process of its own, until `stopAll`. */
export function engineRuns(db: () => TemporaryDatabase) {
  const running = new Set<() => Promise<void>>()
  const runAll = (projections: readonly AnyProjection[], store: Pick<EventStore, 'subscribeAll'> = db().store) => {
    const halt = new AbortController()
    const log = { info: vi.fn(), error: vi.fn() }
    const onLive = vi.fn()
    const { database } = db()
    const done = runProjections(projections, { store, database, signal: halt.signal, log, onLive })
    const stop = () => {
      halt.abort()
      return done
    }
    running.add(stop)
    return { log, onLive, stop }
  }
  return {
    runAll,
    run: (projection: AnyProjection, store?: Pick<EventStore, 'subscribeAll'>) => runAll([projection], store),
    async stopAll() {
      await Promise.all([...running].map((stop) => stop()))
      running.clear()
    },
  }
}

/** Returns the event store with its batches limited to `maxBatch` events. Appends each start position to `from`. */
export const inBatchesOf = (
  store: EventStore,
  maxBatch: number,
  from: (string | undefined)[] = [],
): Pick<EventStore, 'subscribeAll'> => ({
  subscribeAll: (options) => {
    from.push(options.from)
    return store.subscribeAll({ ...options, maxBatch })
  },
})
