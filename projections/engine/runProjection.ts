import { setTimeout as delay } from 'node:timers/promises'
import type { EventStore, GlobalPosition } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { WriteBatch } from './batchWriter.ts'
import type { LivenessReports } from './livenessReports.ts'
import { logParked, type ProjectionLog } from './parkedEvents.ts'
import { Fenced } from './projectBatch.ts'
import { type AnyProjection, isRelevant, streamPrefixesOf } from './projection.ts'
import type { Database } from './query.ts'
import { liveTarget, REBUILD_REQUESTED, readCheckpoint, reclaim } from './readModel.ts'
import { rebuild } from './rebuild.ts'

export interface ProjectionRun {
  readonly store: Pick<EventStore, 'subscribeAll'>
  readonly database: Database
  readonly signal: AbortSignal
  readonly log: ProjectionLog
  /** Called each time the projection reaches the head of the log. */
  readonly onLive: () => void
  /** Shared by the projections of a process. */
  readonly write: WriteBatch
  /** Shared by the projections of a process. */
  readonly reports: LivenessReports
}

const STANDBY_MS = 5_000
/**
 * Time after which a process checks whether the one that moved the checkpoint still runs. Both may be of different
 * releases that share the version of the read model.
 */
const FENCED_MS = 500
const FIRST_RETRY_MS = 50
const MAX_RETRY_MS = 5_000
/** Maximum number of irrelevant batches between checkpoints. Reading them again after a restart is cheap. */
const CHECKPOINT_EVERY = 100

/**
 * Keeps one read model up to date until the signal aborts. Each batch and its checkpoint are one transaction. Events that
 * cannot be projected are parked. Other errors are logged and the batch is retried, so no event is skipped.
 */
export async function runProjection(projection: AnyProjection, run: ProjectionRun): Promise<void> {
  const { name, version } = projection
  const { database, signal, log, onLive } = run
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const checkpoint = await readCheckpoint(database, projection)
      if (checkpoint.version < version) {
        log.info({ projection: name, version }, 'rebuilding read model')
        await rebuildBeside(projection, checkpoint, run)
      } else if (checkpoint.version > version) {
        // A process with a newer version maintains the rows, until it is rolled back.
        onLive()
        await reclaim(database, projection)
        await delay(STANDBY_MS, undefined, { signal })
      } else {
        const onProgress = () => {
          failures = 0
        }
        await follow(projection, checkpoint.position, onProgress, run)
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Fenced) {
        await delay(FENCED_MS, undefined, { signal }).catch(() => {})
        continue
      }
      log.error({ err: error, projection: name }, 'projection failed, retrying from its checkpoint')
      await delay(Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures), undefined, { signal }).catch(() => {})
    }
  }
}

/** Projects all events after a position until the signal aborts. */
async function follow(
  projection: AnyProjection,
  from: GlobalPosition | undefined,
  onProgress: () => void,
  { store, signal, log, onLive, write, reports }: ProjectionRun,
): Promise<void> {
  const target = liveTarget(projection)
  const liveness = reports.follow(projection)
  const arrived = () => {
    liveness.arrived()
    onLive()
  }
  try {
    let position = from
    let skipped = 0
    const streamPrefixes = streamPrefixesOf(projection)
    const watched = { name: projection.name, onLive: arrived, onSilent: liveness.left }
    for await (const batch of store.subscribeAll({ from, streamPrefixes, signal, ...watched })) {
      liveness.left()
      const concerns = batch.events.some((event) => isRelevant(projection, event))
      if (!concerns && ++skipped < CHECKPOINT_EVERY) continue
      skipped = 0
      logParked(log, target.name, await write({ target, batch, from: position }))
      position = batch.position
      onProgress()
    }
  } finally {
    await liveness.stop()
  }
}

/**
 * Rebuilds the read model. If its rows are from this version, keeps them up to date until the new ones replace them.
 * Otherwise a process with the older version does so, if one is running.
 */
async function rebuildBeside(
  projection: AnyProjection,
  { version, position }: { version: number; position: GlobalPosition | undefined },
  run: ProjectionRun,
): Promise<void> {
  const replaced = new AbortController()
  const signal = AbortSignal.any([run.signal, replaced.signal])
  // Without a position, an operator has discarded the rows.
  const isCurrent = version === REBUILD_REQUESTED && position !== undefined
  const following = isCurrent && runProjection({ ...projection, version }, { ...run, signal })
  try {
    await rebuild(projection, run)
  } finally {
    replaced.abort()
    await following
  }
}
