import { vi } from 'vitest'
import type { EventStore } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { createBatchWriter } from '../engine/batchWriter.ts'
import { createLivenessReports } from '../engine/livenessReports.ts'
import type { AnyProjection } from '../engine/projection.ts'
import { runProjection } from '../engine/runProjection.ts'

/** Runs projections on a temporary database until `stopAll`. */
export function engineRuns(db: () => TemporaryDatabase) {
  const running = new Set<() => Promise<void>>()
  return {
    run(
      projection: AnyProjection,
      store: Pick<EventStore, 'subscribeAll'> = db().store,
      write = createBatchWriter(db().database),
      reports = createLivenessReports(db().database),
    ) {
      const halt = new AbortController()
      const log = { info: vi.fn(), error: vi.fn() }
      const onLive = vi.fn()
      const done = runProjection(projection, {
        store,
        database: db().database,
        signal: halt.signal,
        log,
        onLive,
        write,
        reports,
      })
      const stop = () => {
        halt.abort()
        return done
      }
      running.add(stop)
      return { log, onLive, stop }
    },
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
