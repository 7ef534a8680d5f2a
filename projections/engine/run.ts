import { setTimeout as delay } from 'node:timers/promises'
import type { EventStore } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { tellLiveness } from './liveness.ts'
import { concerns, prefixes, project } from './project.ts'
import type { AnyProjection } from './projection.ts'
import { type Database, readCheckpoint } from './readModel.ts'
import { rebuild } from './rebuild.ts'

const STAND_ASIDE_MS = 5_000

export interface ProjectionLog {
  info(detail: object, message: string): void
  error(detail: object, message: string): void
}

/** Batches that change nothing are passed over without a transaction, so many at a time: reading them again is cheap. */
const CHECKPOINT_EVERY = 100

/**
 * Keeps one read model up to date until the signal aborts. Each batch and its checkpoint are one transaction; a fault is
 * logged and tried again, so that a read model may lag but never skips.
 * @param onLive called each time the head of the log is reached
 */
export async function runProjection(
  projection: AnyProjection,
  { store, database, signal, log, onLive }: ProjectionRun,
): Promise<void> {
  const liveness = tellLiveness(projection, database)
  const arrived = () => {
    liveness.arrived()
    onLive()
  }
  for (let faults = 0; !signal.aborted; faults++) {
    try {
      const checkpoint = await readCheckpoint(database, projection)
      if (checkpoint.version < projection.version) {
        log.info({ projection: projection.name, version: projection.version }, 'rebuilding a read model')
        await rebuild(projection, { store, database, signal })
        continue
      }
      if (checkpoint.version > projection.version) {
        // A newer program keeps the rows: this one reads them, and writes again only if the newer one is taken back.
        onLive()
        await delay(STAND_ASIDE_MS, undefined, { signal })
        continue
      }
      let position = checkpoint.position
      let passedOver = 0
      const streamPrefixes = prefixes(projection)
      for await (const batch of store.subscribeAll({ from: position, streamPrefixes, signal, onLive: arrived })) {
        liveness.left()
        if (!concerns(projection, batch) && ++passedOver < CHECKPOINT_EVERY) continue
        passedOver = 0
        await project(projection, database, batch, position)
        position = batch.position
        faults = 0
      }
    } catch (error) {
      liveness.left()
      if (signal.aborted) break
      log.error(
        { err: error, projection: projection.name },
        'a projection stumbled and starts again from its checkpoint',
      )
      await delay(Math.min(5_000, 50 * 2 ** faults), undefined, { signal }).catch(() => {})
    }
  }
  await liveness.end()
}

export interface ProjectionRun {
  readonly store: EventStore
  readonly database: Database
  readonly signal: AbortSignal
  readonly log: ProjectionLog
  readonly onLive: () => void
}
