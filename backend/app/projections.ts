import { createHash } from 'node:crypto'
import { PROJECTIONS } from '#projections/all.ts'
import type { AnyProjection } from '#projections/engine/projection.ts'
import { replayParked } from '#projections/engine/replayParked.ts'
import { runProjections } from '#projections/engine/runProjections.ts'
import { leased, type Running } from '../kernel/postgres/leased.ts'
import type { Context } from './context.ts'

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

/** The parked events of each are replayed once: this process may know types that the one before did not. */
function projectAll(
  { store, database, log, observability: { lag } }: Context,
  projections: readonly AnyProjection[],
): Running {
  const halt = new AbortController()
  const { signal } = halt
  const started = Promise.withResolvers<void>()
  const behind = new Map(projections.map((projection) => [projection.name, projection]))
  let replays = Promise.resolve()

  function onLive({ name }: AnyProjection): void {
    const projection = behind.get(name)
    if (!projection) return
    behind.delete(name)
    replays = replays.then(() => replay(projection))
    if (behind.size === 0) started.resolve()
  }

  async function replay(projection: AnyProjection): Promise<void> {
    try {
      const { replayed } = await replayParked([projection], { store, database, signal })
      if (replayed > 0) log.info({ projection: projection.name, replayed }, 'parked events projected')
    } catch (error) {
      if (!signal.aborted) log.error({ err: error, projection: projection.name }, 'parked events not replayed')
    }
  }

  const done = runProjections(projections, { store, database, log, signal, lag, onLive })
  return {
    started: started.promise,
    async stop() {
      halt.abort()
      await done
      await replays
    },
  }
}
