import type { EventStore } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { prefixes, project } from './project.ts'
import type { AnyProjection } from './projection.ts'
import { type Database, readCheckpoint, tableName } from './readModel.ts'
import type { Queries } from './readRows.ts'

interface Rebuild {
  readonly store: EventStore
  readonly database: Database
  readonly signal: AbortSignal
}

/** Matches the names of tables and checkpoints of read models that are being rebuilt, as a regular expression of Postgres. */
export const REBUILD_TABLE = '__v[0-9]+$'

/** Deletes the checkpoints of unfinished rebuilds, which then start over. */
export async function forgetRebuilds(client: Queries): Promise<void> {
  await client.query('delete from projection_checkpoint where name ~ $1', [REBUILD_TABLE])
}

/**
 * Builds a read model anew beside the old one and swaps it in when it has caught up; readers see the old rows until
 * then. Interrupted, it goes on where it stood. @throws the reason of `signal`
 */
export async function rebuild(projection: AnyProjection, { store, database, signal }: Rebuild): Promise<void> {
  const beside = `${tableName(projection)}__v${projection.version}`
  const em = database.em.fork()
  let { position } = await readCheckpoint(database, { name: beside, version: projection.version })
  // What stands there without a checkpoint is of another log, or of an attempt that did not come far.
  if (position === undefined) await em.execute(`drop table if exists "${beside}"`)
  await em.execute(`create table if not exists "${beside}" (like "${tableName(projection)}" including all)`)
  const catchUp = async () => {
    const done = new AbortController()
    const streamPrefixes = prefixes(projection)
    const until = AbortSignal.any([signal, done.signal])
    const onLive = () => done.abort()
    for await (const batch of store.subscribeAll({ from: position, streamPrefixes, signal: until, onLive })) {
      await project(projection, database, batch, position, beside)
      position = batch.position
      if (batch.live) break
    }
    signal.throwIfAborted()
  }
  await catchUp()
  await swapIn(projection, database, beside, catchUp)
}

/**
 * The old rows go and the new ones come in one transaction; the projection goes on from where the new ones end. Where
 * another process was faster, its rows stay. Whoever projects the old rows waits at their checkpoint while the new ones catch
 * up with the last of them: for readers, time goes on. The checkpoint is locked before the table, as by all who project.
 */
function swapIn(
  projection: AnyProjection,
  database: Database,
  beside: string,
  catchUp: () => Promise<void>,
): Promise<void> {
  const table = tableName(projection)
  return database.em.fork().transactional(async (em) => {
    const older = await em.execute('select name from projection_checkpoint where name = ? and version < ? for update', [
      projection.name,
      projection.version,
    ])
    if (older.length > 0) {
      await catchUp()
      await em.execute(
        `update projection_checkpoint live set version = built.version, position = built.position, live_at = null
         from projection_checkpoint built where live.name = ? and built.name = ?`,
        [projection.name, beside],
      )
      await em.execute(`drop table "${table}"`)
      await em.execute(`alter table "${beside}" rename to "${table}"`)
    } else await em.execute(`drop table "${beside}"`)
    await em.execute('delete from projection_checkpoint where name = ?', [beside])
  })
}
