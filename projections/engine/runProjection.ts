import { setTimeout as delay } from 'node:timers/promises'
import type { EventStore } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { reportLiveness } from './liveness.ts'
import { projectBatch } from './projectBatch.ts'
import { type AnyProjection, streamPrefixesOf } from './projection.ts'
import type { Database } from './query.ts'
import { readCheckpoint } from './readModel.ts'
import { rebuild } from './rebuild.ts'

export interface ProjectionRun {
  readonly store: Pick<EventStore, 'subscribeAll'>
  readonly database: Database
  readonly signal: AbortSignal
  readonly log: { info(detail: object, message: string): void; error(detail: object, message: string): void }
  /** Called each time the projection reaches the head of the log. */
  readonly onLive: () => void
}

const STANDBY_MS = 5_000
const FIRST_RETRY_MS = 50
const MAX_RETRY_MS = 5_000
/** Maximum number of irrelevant batches between checkpoints. Reading them again after a restart is cheap. */
const CHECKPOINT_EVERY = 100

/**
 * Keeps one read model up to date until the signal aborts. Each batch and its checkpoint are one transaction. Errors
 * are logged and the batch is retried, so a read model may lag but never skips an event.
 */
export async function runProjection(
  projection: AnyProjection,
  { store, database, signal, log, onLive }: ProjectionRun,
) {
  const { name, version } = projection
  const liveness = reportLiveness(projection, database)
  const arrived = () => {
    liveness.arrived()
    onLive()
  }
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const checkpoint = await readCheckpoint(database, projection)
      if (checkpoint.version < version) {
        log.info({ projection: name, version }, 'rebuilding read model')
        await rebuild(projection, { store, database, signal })
        continue
      }
      if (checkpoint.version > version) {
        // A process with a newer version maintains the rows. This one takes over again only after a rollback.
        onLive()
        await delay(STANDBY_MS, undefined, { signal })
        continue
      }
      let position = checkpoint.position
      let skipped = 0
      const streamPrefixes = streamPrefixesOf(projection)
      for await (const batch of store.subscribeAll({ from: position, streamPrefixes, signal, onLive: arrived })) {
        liveness.left()
        const isRelevant = batch.events.some(({ type }) => type in projection.on)
        if (!isRelevant && ++skipped < CHECKPOINT_EVERY) continue
        skipped = 0
        await projectBatch(projection, database, batch, position)
        position = batch.position
        failures = 0
      }
    } catch (error) {
      liveness.left()
      if (signal.aborted) break
      log.error({ err: error, projection: name }, 'projection failed, retrying from its checkpoint')
      await delay(Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures), undefined, { signal }).catch(() => {})
    }
  }
  await liveness.stop()
}
