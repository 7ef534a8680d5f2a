import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { GlobalPosition } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import { eventually } from '#backend/testing/eventually.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { creditBalances } from '../credits/creditBalance.ts'
import { creditEntries } from '../credits/creditEntry.ts'
import { creditFlows } from '../credits/creditFlow.ts'
import { engineRuns } from '../testing/engineRuns.ts'
import { createBatchWriter, type WriteBatch } from './batchWriter.ts'
import type { AnyProjection } from './projection.ts'
import { liveTarget, readCheckpoint } from './readModel.ts'

const MODELS: readonly AnyProjection[] = [creditBalances, creditEntries, creditFlows]
const POISON = 13

let db: TemporaryDatabase
let write: WriteBatch
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())
beforeEach(async () => {
  write = createBatchWriter(db.database)
  await db.pool.query(`truncate event, projection_checkpoint, parked_event, credit_balance, credit_entry, credit_flow;
    alter table credit_flow drop constraint if exists no_poison`)
})
afterEach(() => stopAll())
const { run, stopAll } = engineRuns(() => db)
const start = (models = MODELS) => models.map((model) => run(model, db.store, write))

const at = '2026-01-01T00:00:00.000Z'
/** Grants credits to a new user. */
async function grant(amount: number): Promise<string> {
  const userId = uuid7()
  const data = { userId, lotId: `lot${amount}`, source: 'free', amount, expiresAt: null, at }
  await db.store.append(`creditAccount-${userId}`, 'no_stream', [{ id: uuid7(), type: 'CreditLotGranted', data }])
  return userId
}
const reachesHead = (...models: readonly AnyProjection[]) =>
  eventually(async () => {
    const names = models.map(({ name }) => name)
    const { rows } = await db.pool.query('select position from projection_checkpoint where name = any($1)', [names])
    const head = await db.store.head()
    expect(rows.map(({ position }) => position)).toEqual(names.map(() => head))
  })
const transactions = async () =>
  (await db.pool.query<{ xmin: string }>('select distinct xmin::text from projection_checkpoint')).rows.length
const count = async (table: string) => Number((await db.pool.query(`select count(*) from ${table}`)).rows[0].count)
const parked = async () =>
  (await db.pool.query('select projection, type from parked_event order by projection')).rows.map(
    ({ projection }) => projection,
  )

describe('read models of one process', () => {
  it('are written in one transaction', async () => {
    start()
    await reachesHead()
    await grant(1)
    await reachesHead(...MODELS)
    await eventually(async () => expect(await count('credit_flow')).toBe(1))
    await grant(2)
    await reachesHead(...MODELS)
    expect(await transactions()).toBe(1)
    expect(await Promise.all(['credit_balance', 'credit_entry', 'credit_flow'].map(count))).toEqual([2, 2, 2])
  })

  it('catch up in transactions of their own, side by side', async () => {
    await Promise.all(MODELS.map((model) => readCheckpoint(db.database, model)))
    const position = '00000000000000000001' as GlobalPosition
    const writeAll = (live: boolean, from?: GlobalPosition) =>
      Promise.all(
        MODELS.map((model) => write({ target: liveTarget(model), batch: { events: [], position, live }, from })),
      )
    await writeAll(false)
    expect(await transactions()).toBe(MODELS.length)
    await writeAll(true, position)
    expect(await transactions()).toBe(1)
  })

  it('share a transaction under load, also when their batches arrive one after another', async () => {
    await Promise.all(MODELS.map((model) => readCheckpoint(db.database, model)))
    const position = '00000000000000000001' as GlobalPosition
    const writeOne = (model: AnyProjection) =>
      write({ target: liveTarget(model), batch: { events: [], position, live: true }, from: undefined })
    const [first, second, third] = MODELS
    // However slow the first transaction is, the second waits for the whole interval.
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    await writeOne(first!)
    const writing = writeOne(second!)
    for (let n = 0; n < 5; n++) await turn()
    await Promise.all([writing, writeOne(third!)])
    expect(await transactions()).toBe(2)
  })

  it('go on without the one that cannot fold an event', async () => {
    const throwing: AnyProjection = {
      ...creditBalances,
      on: {
        ...creditBalances.on,
        CreditLotGranted: (row, event, stored) => {
          if (event.data.amount === POISON) throw new Error('poisoned')
          return creditBalances.on.CreditLotGranted(row, event, stored)
        },
      },
    }
    start([throwing, creditEntries, creditFlows])
    for (const amount of [1, POISON, 2]) await grant(amount)
    await reachesHead(throwing, creditEntries, creditFlows)
    expect(await parked()).toEqual(['creditBalances'])
    expect(await Promise.all(['credit_balance', 'credit_entry', 'credit_flow'].map(count))).toEqual([2, 3, 3])
  })

  it('go on without the one whose row Postgres rejects', async () => {
    await db.pool.query(`alter table credit_flow add constraint no_poison check (amount <> ${POISON})`)
    start()
    for (const amount of [1, POISON, 2]) await grant(amount)
    await reachesHead(...MODELS)
    expect(await parked()).toEqual(['creditFlows'])
    expect(await Promise.all(['credit_balance', 'credit_entry', 'credit_flow'].map(count))).toEqual([3, 3, 2])
  })

  it('go on without the one whose checkpoint is locked, which catches up afterwards', async () => {
    start()
    await grant(1)
    await reachesHead(...MODELS)
    const lock = await db.pool.connect()
    try {
      await lock.query('begin')
      await lock.query(`select from projection_checkpoint where name = 'creditFlows' for update`)
      for (const amount of [2, 3, 4]) await grant(amount)
      await reachesHead(creditBalances, creditEntries)
      expect(await count('credit_flow')).toBe(1)
    } finally {
      await lock.query('rollback')
      lock.release()
    }
    await reachesHead(...MODELS)
    expect(await count('credit_flow')).toBe(4)
  })

  it('do not apply an event twice while another process runs the same models', async () => {
    const log = start()
    write = createBatchWriter(db.database)
    const others = start()
    for (let amount = 1; amount <= 30; amount++) await grant(amount)
    await reachesHead(...MODELS)
    expect(await Promise.all(['credit_balance', 'credit_entry', 'credit_flow'].map(count))).toEqual([30, 30, 30])
    const { rows } = await db.pool.query(`select distinct jsonb_array_length(lots) as lots from credit_balance`)
    expect(rows).toEqual([{ lots: 1 }])
    expect([...log, ...others].flatMap(({ log }) => log.error.mock.calls.map(([, text]) => text))).not.toContain(
      'event cannot be projected and is parked',
    )
  })
})
