import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import { createEventStoreDb } from '../kernel/eventsourcing/eventStoreDb/eventStoreDb.ts'
import { EventStoreDbTestServer } from '../kernel/eventsourcing/testing/eventStoreDbTestServer.ts'
import { aStream, event } from '../kernel/eventsourcing/testing/followLog.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { startTestKinora } from '../testing/testKinora.ts'
import { adoptLog, refuseForeignLog, takeOverLog } from './installation.ts'

let first: TemporaryDatabase
let second: TemporaryDatabase
let server: EventStoreDbTestServer
const stores: EventStore[] = []
beforeAll(async () => {
  ;[first, second] = await Promise.all([startTemporaryDatabase(), startTemporaryDatabase()])
})
afterAll(() => Promise.all([first.close(), second.close()]))
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
  server.kill()
  for (const { pool } of [first, second]) await pool.query('truncate installation, projection_checkpoint')
})

const connect = () => {
  const store = createEventStoreDb({ url: server.url })
  stores.push(store)
  return store
}
const newLog = async () => {
  server = await new EventStoreDbTestServer().start()
  return connect()
}
/** What a process does when it starts. */
const start = async ({ pool }: TemporaryDatabase, store = connect()) => {
  await refuseForeignLog(pool, store)
  await adoptLog(pool, store)
}
const owners = () => server.log.stream('installation').length
const sawEvents = ({ pool }: TemporaryDatabase) =>
  pool.query(`insert into projection_checkpoint (name, version, position) values ('before', 1, '1')`)

describe('an installation', () => {
  it('adopts a new log once, although several processes start together', async () => {
    const store = await newLog()
    await Promise.all(Array.from({ length: 6 }, () => start(first)))
    expect(owners()).toBe(1)
    await store.append(aStream(), 'no_stream', [event('A')])
    await start(first)
    expect(owners()).toBe(1)
  })

  it.each(['subscribeAll', 'readStream'] as const)('starts while another process adopts its log (%s)', async (read) => {
    const store = await newLog()
    const readLog = store[read].bind(store) as (...given: unknown[]) => AsyncIterable<never>
    let adopted: Promise<void> | undefined
    vi.spyOn(store, read).mockImplementation(async function* (...given: unknown[]) {
      adopted ??= adoptLog(first.pool, connect())
      await adopted
      yield* readLog(...given)
    })
    await start(first, store)
    expect(owners()).toBe(1)
  })

  it('adopts its log if it is from before logs had owners', async () => {
    const store = await newLog()
    await store.append(aStream(), 'no_stream', [event('A')])
    await sawEvents(first)
    await start(first)
    expect(owners()).toBe(1)
  })

  it('continues after a crash between the two halves of an adoption', async () => {
    await newLog()
    await first.pool.query('insert into installation (id) values (gen_random_uuid())')
    await start(first)
    expect(owners()).toBe(1)
  })

  it('refuses a log that belongs to another one, and names both', async () => {
    await newLog()
    await start(first)
    await second.pool.query('insert into installation (id) values (gen_random_uuid())')
    const ids = await Promise.all([first, second].map(({ pool }) => pool.query('select id from installation')))
    const [ours, theirs] = ids.map(({ rows }) => rows[0].id)
    await expect(start(second)).rejects.toThrow(
      `The event log belongs to installation ${ours}, but the database to ${theirs}. Set EVENTSTORE_URL`,
    )
    await start(first)
  })

  it('refuses the log of another one with a new database, and writes nothing', async () => {
    await newLog()
    await start(first)
    await expect(start(second)).rejects.toThrow(/but the database to none.*--adopt-log/)
    expect((await second.pool.query('select id from installation')).rows).toEqual([])
  })

  it('refuses a log without an owner that has events with a new database', async () => {
    const store = await newLog()
    await store.append(aStream(), 'no_stream', [event('A')])
    await expect(start(first)).rejects.toThrow(/but the database is new/)
  })

  it('gets a new log to itself when two start at the same time', async () => {
    await newLog()
    const outcomes = await Promise.allSettled([start(first), start(second)])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(owners()).toBe(1)
  })

  it('can take over a log by command', async () => {
    const store = await newLog()
    await start(first)
    await takeOverLog(second.pool, store)
    await start(second)
  })
})

describe('a second installation on one EventStoreDB', () => {
  it('does not start', async () => {
    await newLog()
    const env = (database: TemporaryDatabase) => ({ DATABASE_URL: database.url, EVENTSTORE_URL: server.url })
    const kinora = await startTestKinora({ env: env(first) })
    await expect(startTestKinora({ env: env(second) })).rejects.toThrow(/belongs to installation/)
    await kinora.close()
    const again = await startTestKinora({ env: env(first) })
    await again.close()
  })
})
