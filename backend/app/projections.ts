import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { PROJECTIONS } from '#projections/all.ts'
import { createBatchWriter } from '#projections/engine/batchWriter.ts'
import { createLivenessReports } from '#projections/engine/livenessReports.ts'
import type { AnyProjection } from '#projections/engine/projection.ts'
import { replayParked } from '#projections/engine/replayParked.ts'
import { runProjection } from '#projections/engine/runProjection.ts'
import { sharedReads } from '#projections/engine/sharedReads.ts'
import { leased, type Running } from '../kernel/postgres/leased.ts'
import type { Context } from './context.ts'

/** Time after which the next projection starts although the one before it has not caught up, ms. */
const TURN_MS = 50

/**
 * Keeps all read models up to date in one process of a release; the others stand by. A release with other versions builds
 * its rows beside those of the previous one. Both then follow the read models whose version they share, and the fence of
 * each checkpoint decides between them. See docs/decisions/0054-one-lease-for-read-models.md.
 */
export const startProjections = (context: Context, projections = PROJECTIONS): Running =>
  leased(context.leases, leaseOf(projections), () => projectAll(context, projections))

/** Returns the name of the lease of all processes with the same versions of the read models. */
function leaseOf(projections: readonly AnyProjection[]): string {
  const release = projections.map(({ name, version }) => `${name} ${version}`).join()
  return `projections ${createHash('sha256').update(release).digest('hex').slice(0, 8)}`
}

/**
 * The read models start one after the other: side by side, each would open connections of its own, which takes longer
 * than what it reads. The parked events of each are replayed once: this process may know types that the one before did not.
 */
function projectAll(
  { store, database, log, observability: { lag } }: Context,
  projections: readonly AnyProjection[],
): Running {
  const halt = new AbortController()
  const { signal } = halt
  const shared = { database, log, signal, write: createBatchWriter(database), reports: createLivenessReports(database) }
  const reads = sharedReads(store, projections)
  let turn: Promise<unknown> = Promise.resolve()

  function project(projection: AnyProjection) {
    const live = Promise.withResolvers<void>()
    const run = { ...shared, store: lag.follow(projection.name, reads), onLive: live.resolve }
    const projected = turn.then(() => runProjection(projection, run))
    const replayed = Promise.race([live.promise, projected]).then(() => replay(projection))
    turn = turn.then(() => Promise.race([live.promise, delay(TURN_MS, undefined, { ref: false })]))
    return { live: live.promise, done: Promise.all([projected, replayed]) }
  }

  async function replay(projection: AnyProjection): Promise<void> {
    try {
      const { replayed } = await replayParked([projection], { store, database, signal })
      if (replayed > 0) log.info({ projection: projection.name, replayed }, 'parked events projected')
    } catch (error) {
      if (!signal.aborted) log.error({ err: error, projection: projection.name }, 'parked events not replayed')
    }
  }

  const running = projections.map(project)
  return {
    started: Promise.all(running.map(({ live }) => live)).then(() => undefined),
    async stop() {
      halt.abort()
      await Promise.all(running.map(({ done }) => done))
    },
  }
}
