import { PROJECTIONS } from '#projections/all.ts'
import { createBatchWriter } from '#projections/engine/batchWriter.ts'
import { createLivenessReports } from '#projections/engine/livenessReports.ts'
import type { AnyProjection } from '#projections/engine/projection.ts'
import { runProjection } from '#projections/engine/runProjection.ts'
import { sharedReads } from '#projections/engine/sharedReads.ts'
import type { Context } from './context.ts'
import { leased, type Running } from './leases.ts'

/**
 * Keeps the read models up to date. Each projection has its own lease, so processes share the work. The lease name
 * includes the version, so a new release can build its rows while the previous one keeps its own up to date.
 */
export function startProjections({ store, database, log, leases, observability: { lag } }: Context): Running {
  const shared = { write: createBatchWriter(database), reports: createLivenessReports(database) }
  const reads = sharedReads(store, PROJECTIONS)
  const run = (projection: AnyProjection) => (): Running => {
    const halt = new AbortController()
    const live = Promise.withResolvers<void>()
    const done = runProjection(projection, {
      store: lag.follow(projection.name, reads),
      database,
      log,
      signal: halt.signal,
      onLive: live.resolve,
      ...shared,
    })
    return {
      started: live.promise,
      async stop() {
        halt.abort()
        await done
      },
    }
  }
  const running = PROJECTIONS.map((projection, slot) =>
    leased(leases, `projection ${projection.name} ${projection.version}`, run(projection), { slot }),
  )
  return {
    started: Promise.all(running.map(({ started }) => started)).then(() => undefined),
    async stop() {
      await Promise.all(running.map((each) => each.stop()))
    },
  }
}
