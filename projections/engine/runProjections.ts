import { setTimeout as delay } from 'node:timers/promises'
import { Fenced } from './project.ts'
import type { AnyProjection } from './projection.ts'
import { type Checkpoint, liveTarget, openCheckpoints, REBUILD_REQUESTED, reclaim } from './readModel.ts'
import { rebuild } from './rebuild.ts'
import { createSubscriptions, type Subscribing } from './subscription.ts'

export interface ProjectionRun extends Subscribing {
  /** Called each time a projection reaches the head of the log. */
  readonly onLive: (projection: AnyProjection) => void
}

const STANDBY_MS = 5_000
/**
 * Time after which a process checks whether the one that moved the checkpoint still runs. Both may be of different
 * releases that share the version of the read model.
 */
const FENCED_MS = 500
const FIRST_RETRY_MS = 50
const MAX_RETRY_MS = 5_000

/**
 * Keeps read models up to date until the signal aborts. Each batch and its checkpoints are one transaction. Events that
 * cannot be projected are parked. After another error, which is logged, a read model begins again at its checkpoint, so no
 * event is skipped, and the others go on without it.
 */
export async function runProjections(projections: readonly AnyProjection[], run: ProjectionRun): Promise<void> {
  const { database, log, onLive } = run
  const subscriptions = createSubscriptions(run, projections)

  async function keep(projection: AnyProjection, signal: AbortSignal, known?: Checkpoint): Promise<void> {
    const { name, version } = projection
    let checkpoint = known
    for (let failures = 0; !signal.aborted; failures++, checkpoint = undefined) {
      try {
        checkpoint ??= (await openCheckpoints(database, [projection])).get(name)!
        if (checkpoint.version < version) {
          log.info({ projection: name, version }, 'rebuilding read model')
          await rebuildBeside(projection, checkpoint, signal)
        } else if (checkpoint.version > version) {
          // A process with a newer version maintains the rows, until it is rolled back.
          onLive(projection)
          await reclaim(database, projection)
          await delay(STANDBY_MS, undefined, { signal })
        } else {
          const onProgress = () => {
            failures = 0
          }
          const member = { target: liveTarget(projection), position: checkpoint.position, onProgress }
          await subscriptions.follow({ ...member, onLive: () => onLive(projection) }, signal)
        }
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof Fenced))
          log.error({ err: error, projection: name }, 'projection failed, retrying from its checkpoint')
        const wait = error instanceof Fenced ? FENCED_MS : Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures)
        await delay(wait, undefined, { signal }).catch(() => {})
      }
    }
  }

  /**
   * Rebuilds the read model. If its rows are from this version, keeps them up to date until the new ones replace them.
   * Otherwise a process with the older version does so, if one is running.
   */
  async function rebuildBeside(projection: AnyProjection, { version, position }: Checkpoint, signal: AbortSignal) {
    const replaced = new AbortController()
    // Without a position, an operator has discarded the rows.
    const isCurrent = version === REBUILD_REQUESTED && position !== undefined
    const following = isCurrent && keep({ ...projection, version }, AbortSignal.any([signal, replaced.signal]))
    try {
      await rebuild(projection, { ...run, signal })
    } finally {
      replaced.abort()
      await following
    }
  }

  // A failure is logged when each of them reads its checkpoint.
  const known = await openCheckpoints(database, projections).catch(() => undefined)
  await Promise.all(projections.map((projection) => keep(projection, run.signal, known?.get(projection.name))))
  await subscriptions.ended()
}
