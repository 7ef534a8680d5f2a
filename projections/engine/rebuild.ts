import type { EventStore, GlobalPosition } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { notify } from '#backend/kernel/postgres/notify.ts'
import type { Database } from '#backend/kernel/postgres/query.ts'
import { query } from '#backend/kernel/postgres/query.ts'
import { logParked, type ProjectionLog } from './parkedEvents.ts'
import { batchFor, projectAlone } from './project.ts'
import { type AnyProjection, streamPrefixesOf } from './projection.ts'
import { openCheckpoints, tableName } from './readModel.ts'
import type { Queries } from './readRows.ts'

interface Rebuild {
  readonly store: Pick<EventStore, 'subscribeAll'>
  readonly database: Database
  readonly signal: AbortSignal
  readonly log: ProjectionLog
}

/** Postgres regular expression that matches the tables and checkpoints of unfinished rebuilds. */
export const REBUILD_TABLE = '__v[0-9]+$'

/** Deletes the checkpoints of unfinished rebuilds, so that they start over. */
export async function forgetRebuilds(client: Queries): Promise<void> {
  await client.query('delete from projection_checkpoint where name ~ $1', [REBUILD_TABLE])
}

/**
 * Builds a read model in a second table and swaps it in when it has caught up. Readers see the old rows until then. An
 * interrupted rebuild resumes at its checkpoint. See docs/decisions/0009-rebuild-beside.md.
 * @throws the abort reason of `signal`
 */
export async function rebuild(projection: AnyProjection, { store, database, signal, log }: Rebuild): Promise<void> {
  const table = tableName(projection)
  const draft = `${table}__v${projection.version}`
  const target = { projection, name: draft, table: draft }
  const em = database.em.fork()
  let { position } = (await openCheckpoints(database, [{ name: draft, version: projection.version }])).get(draft)!
  // Without a checkpoint, an existing table is from another log or from an attempt that failed before its first checkpoint.
  if (position === undefined) await query(em, `drop table if exists "${draft}"`)
  await query(em, `create table if not exists "${draft}" (like "${table}" including all)`)
  const catchUp = async () => {
    const done = new AbortController()
    const streamPrefixes = streamPrefixesOf(projection)
    const until = AbortSignal.any([signal, done.signal])
    const onLive = () => done.abort()
    for await (const batch of store.subscribeAll({ from: position, streamPrefixes, signal: until, onLive })) {
      logParked(log, draft, await projectAlone(database, batchFor(target, batch, position)))
      position = batch.position
      if (batch.live) break
    }
    signal.throwIfAborted()
  }
  await catchUp()
  await swapIn(projection, database, draft, catchUp)
}

/**
 * Replaces the old table and its checkpoint in one transaction, unless another process did so first. The lock on the
 * checkpoint stops projectors of the old version while `catchUp` reads their last events, so that readers never see
 * older rows. Like projectors, this locks the checkpoint before the table, which prevents deadlocks.
 */
function swapIn(projection: AnyProjection, database: Database, draft: string, catchUp: () => Promise<void>) {
  const table = tableName(projection)
  return database.em.fork().transactional(async (em) => {
    const lock = 'select name from projection_checkpoint where name = $1 and version < $2 for update'
    const older = await query(em, lock, [projection.name, projection.version])
    if (older.length > 0) {
      await catchUp()
      const [swapped] = await query<{ position?: GlobalPosition }>(
        em,
        `update projection_checkpoint live set version = built.version, position = built.position,
           last_event = built.last_event, live_at = null, updated_at = clock_timestamp()
         from projection_checkpoint built where live.name = $1 and built.name = $2 returning live.position`,
        [projection.name, draft],
      )
      await query(em, 'delete from parked_event where projection = $1', [projection.name])
      await query(em, 'update parked_event set projection = $1 where projection = $2', [projection.name, draft])
      await query(em, `drop table "${table}"`)
      await query(em, `alter table "${draft}" rename to "${table}"`)
      // Readers may be waiting for a position that the old rows never reached.
      await notify(em, { name: projection.name, ids: [], ...swapped })
    } else await query(em, `drop table "${draft}"`)
    await query(em, 'delete from parked_event where projection = $1', [draft])
    await query(em, 'delete from projection_checkpoint where name = $1', [draft])
  })
}
