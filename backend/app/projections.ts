import { setTimeout as delay } from 'node:timers/promises'
import { PROJECTIONS } from '#projections/all.ts'
import { createBatchWriter } from '#projections/engine/batchWriter.ts'
import { createLivenessReports } from '#projections/engine/livenessReports.ts'
import type { AnyProjection } from '#projections/engine/projection.ts'
import { replayParked } from '#projections/engine/replayParked.ts'
import { runProjection } from '#projections/engine/runProjection.ts'
import { sharedReads } from '#projections/engine/sharedReads.ts'
import type { Context } from './context.ts'
import { leased, type Running } from './leases.ts'

/** Time after which the next projection starts although the one before it has not caught up, ms. */
const TURN_MS = 50

/**
 * Keeps the read models up to date. Each projection has its own lease, so processes share the work. The lease name
 * includes the version, so a new release can build its rows while the previous one keeps its own up to date. They start one
 * after the other: side by side, each would open connections of its own, which takes longer than what it reads. A process
 * that begins replays the parked events once: it may know types that the process before it did not.
 */
export function startProjections({ store, database, log, leases, observability: { lag } }: Context): Running {
  const shared = { write: createBatchWriter(database), reports: createLivenessReports(database) }
  const reads = sharedReads(store, PROJECTIONS)
  let turn: Promise<unknown> = Promise.resolve()
  const run = (projection: AnyProjection) => (): Running => {
    const halt = new AbortController()
    const live = Promise.withResolvers<void>()
    const store = lag.follow(projection.name, reads)
    const { signal } = halt
    const projected = turn.then(() =>
      runProjection(projection, { store, database, log, signal, onLive: live.resolve, ...shared }),
    )
    const done = Promise.all([
      projected,
      Promise.race([live.promise, projected]).then(() => replay(projection, signal)),
    ])
    turn = turn.then(() => Promise.race([live.promise, delay(TURN_MS, undefined, { ref: false })]))
    return {
      started: live.promise,
      async stop() {
        halt.abort()
        await done
      },
    }
  }
  async function replay(projection: AnyProjection, signal: AbortSignal): Promise<void> {
    try {
      const { replayed } = await replayParked([projection], { store, database, signal })
      if (replayed > 0) log.info({ projection: projection.name, replayed }, 'parked events projected')
    } catch (error) {
      if (!signal.aborted) log.error({ err: error, projection: projection.name }, 'parked events not replayed')
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
