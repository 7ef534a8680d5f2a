import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { readCheckpoints } from '#projections/engine/readRows.ts'
import { ConcurrencyConflict, type EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import type { Event } from '../kernel/eventsourcing/pure/decider.ts'
import { must } from '../kernel/must.ts'

/** The first event of a log in EventStoreDB, which may serve several installations by mistake. */
type LogAdopted = Event<'LogAdopted', { installationId: string; at: string }>

const STREAM = 'installation'

/** The log belongs to another installation than the database. */
export class ForeignLog extends Error {
  override name = 'ForeignLog'
}

type Database = Pick<pg.Pool, 'query'>

/**
 * Rejects a log that belongs to another installation, and one with events if the database is new. Two installations on
 * one log would process each other's tasks.
 * @throws ForeignLog with instructions for the operator
 */
export async function refuseForeignLog(database: Database, store: EventStore): Promise<void> {
  // Read in the reverse order of the writes of adoptLog, which another process may be running.
  const used = await hasEvents(store)
  const theirs = await readOwner(store)
  const ours = await readInstallation(database)
  if (ours && theirs && ours !== theirs)
    throw new ForeignLog(`The event log belongs to installation ${theirs}, but the database to ${ours}. ${REMEDY}`)
  if (!ours && theirs)
    throw new ForeignLog(`The event log belongs to installation ${theirs}, but the database to none. ${REMEDY}`)
  if (!ours && used && !(await hasCheckpoints(database)))
    throw new ForeignLog(`The event log has events, but the database is new. ${REMEDY}`)
}

const REMEDY =
  'Set EVENTSTORE_URL and DATABASE_URL to the log and the database of one installation, or restore the database from ' +
  'its backup. To make this log the log of this database, compare it with the heads of your last export first (npm run ' +
  'audit -- verify --heads <export>), then stop all processes and run: npm run rebuild-read-models -- --adopt-log'

/**
 * Gives the database and the log the same id, unless they have one. Processes that start together agree on one.
 * @throws ForeignLog if another installation adopts the log at the same time
 */
export async function adoptLog(database: Database, store: EventStore): Promise<void> {
  await database.query('insert into installation (id) values ($1) on conflict do nothing', [randomUUID()])
  const installationId = must(await readInstallation(database), 'installation')
  if (!(await readOwner(store))) {
    const event = { type: 'LogAdopted', data: { installationId, at: new Date().toISOString() } } satisfies LogAdopted
    const meta = { correlationId: installationId, actor: 'system', schema: 1 }
    await store.append(STREAM, 'no_stream', [{ ...event, id: randomUUID(), meta }]).catch((error) => {
      if (!(error instanceof ConcurrencyConflict)) throw error
    })
  }
  await refuseForeignLog(database, store)
}

/** Makes the log the log of this database, whichever installation it belonged to. */
export async function takeOverLog(database: Database, store: EventStore): Promise<void> {
  const owner = (await readOwner(store)) ?? randomUUID()
  const sql = 'insert into installation (id) values ($1) on conflict (one) do update set id = excluded.id'
  await database.query(sql, [owner])
  await adoptLog(database, store)
}

async function readInstallation(database: Database): Promise<string | undefined> {
  const { rows } = await database.query<{ id: string }>('select id from installation')
  return rows[0]?.id
}

async function readOwner(store: EventStore): Promise<string | undefined> {
  for await (const { data } of store.readStream<LogAdopted>(STREAM)) return data.installationId
  return undefined
}

/** Returns whether a read model has seen events, as in installations from before logs had owners. */
const hasCheckpoints = async (database: Database): Promise<boolean> =>
  (await readCheckpoints(database)).some(({ position }) => position !== null)

async function hasEvents(store: EventStore): Promise<boolean> {
  const done = new AbortController()
  const subscription = store.subscribeAll({ signal: done.signal, maxBatch: 1, onLive: () => done.abort() })
  for await (const { events } of subscription) if (events.length > 0) return true
  return false
}
