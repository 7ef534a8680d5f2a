import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { EventStore } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { createEventStoreDb } from '#backend/kernel/eventsourcing/eventStoreDb/eventStoreDb.ts'
import { EventStoreDbTestLog } from '#backend/kernel/eventsourcing/testing/eventStoreDbTestLog.ts'
import { EventStoreDbTestServer } from '#backend/kernel/eventsourcing/testing/eventStoreDbTestServer.ts'
import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { creditBalances } from '../credits/creditBalance.ts'
import { projectLog } from '../testing/projectLog.ts'
import { refuseOlderLog } from './refuseOlderLog.ts'

let db: TemporaryDatabase
const closing: (() => unknown)[] = []
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  await db.pool.query('truncate projection_checkpoint, credit_balance, parked_event')
})

/** Serves a log, whose length survives the test server. */
async function serve(log: EventStoreDbTestLog): Promise<EventStore> {
  const server = await new EventStoreDbTestServer({ log }).start()
  const store = createEventStoreDb({ url: server.url, pauseBetween: () => 30 })
  closing.push(
    () => server.kill(),
    () => store.close(),
  )
  return store
}

const grant = (userId: string) => ({
  id: uuid7(),
  type: 'CreditLotGranted',
  data: { userId, lotId: 'free', source: 'free', amount: 60, expiresAt: null, at: '2026-01-01T00:00:00.000Z' },
  meta: { schema: 1 },
})
const append = (store: EventStore) => {
  const userId = uuid7()
  return store.append(`creditAccount-${userId}`, 'no_stream', [grant(userId)])
}

/** Projects the whole log. */
const project = (store: EventStore) => projectLog([creditBalances], { store, database: db.database })

/** Returns a copy of the first events of a log, like a backup of it. */
function backUp({ all }: EventStoreDbTestLog, length: number): EventStoreDbTestLog {
  const copy = new EventStoreDbTestLog()
  for (const event of all.slice(0, length)) copy.append(event.stream, 'any', [event])
  return copy
}

describe('a log restored from an older backup than the database', () => {
  it('is refused', async () => {
    const log = new EventStoreDbTestLog()
    const store = await serve(log)
    for (let n = 0; n < 3; n++) await append(store)
    await project(store)
    await refuseOlderLog(db.database, store)
    const older = await serve(backUp(log, 2))
    await expect(refuseOlderLog(db.database, older)).rejects.toThrow(/older backup[\s\S]*npm run rebuild-read-models/)
  })

  it('is refused although unrelated events have made it longer than before', async () => {
    const log = new EventStoreDbTestLog()
    const store = await serve(log)
    for (let n = 0; n < 3; n++) await append(store)
    await project(store)
    const older = await serve(backUp(log, 2))
    for (let n = 0; n < 5; n++) await append(older)
    await expect(refuseOlderLog(db.database, older)).rejects.toThrow(/older backup/)
  })

  it('is refused if another event took the place of the last projected one', async () => {
    const log = new EventStoreDbTestLog()
    const store = await serve(log)
    const userId = uuid7()
    await store.append(`creditAccount-${userId}`, 'no_stream', [grant(userId)])
    await project(store)
    const other = await serve(new EventStoreDbTestLog())
    await other.append(`creditAccount-${userId}`, 'no_stream', [grant(userId), grant(userId)])
    await expect(refuseOlderLog(db.database, other)).rejects.toThrow(/older backup/)
  })

  it('is compared by its length while checkpoints of an earlier version name no event', async () => {
    const log = new EventStoreDbTestLog()
    const store = await serve(log)
    for (let n = 0; n < 3; n++) await append(store)
    await project(store)
    await db.pool.query('update projection_checkpoint set last_event = null')
    await refuseOlderLog(db.database, store)
    await expect(refuseOlderLog(db.database, await serve(backUp(log, 2)))).rejects.toThrow(/older backup/)
    await append(store)
    await project(store)
    const { rows } = await db.pool.query('select last_event from projection_checkpoint where position is not null')
    expect(rows).toEqual([{ last_event: { stream: expect.any(String), revision: 0, id: log.all[3]!.id } }])
  })

  it('is not suspected when it is the same log, or a longer one', async () => {
    const store = await serve(new EventStoreDbTestLog())
    await refuseOlderLog(db.database, store)
    await append(store)
    await project(store)
    await append(store)
    await refuseOlderLog(db.database, store)
  })
})
