import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { EventStore, GlobalPosition, SubscribeOptions } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Event } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import { eventually } from '#backend/testing/eventually.ts'
import { stopwatch } from '#backend/testing/stopwatch.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { creditBalances } from '../credits/creditBalance.ts'
import { creditEntries } from '../credits/creditEntry.ts'
import { creditFlows } from '../credits/creditFlow.ts'
import { openTasks } from '../tasks/openTask.ts'
import { engineRuns, inBatchesOf } from '../testing/engineRuns.ts'
import type { AnyProjection } from './projection.ts'

const MODELS: readonly AnyProjection[] = [creditBalances, creditEntries, creditFlows]
const POISON = 13

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())
beforeEach(async () => {
  await db.pool.query(`truncate event, projection_checkpoint, parked_event, credit_balance, credit_entry, credit_flow;
    alter table credit_flow drop constraint if exists no_poison`)
})
afterEach(() => stopAll())
const { runAll, stopAll } = engineRuns(() => db)

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
const counts = () => Promise.all(['credit_balance', 'credit_entry', 'credit_flow'].map(count))
const parked = async () =>
  (await db.pool.query('select projection, type from parked_event order by projection')).rows.map(
    ({ projection }) => projection,
  )

/** Returns the event store, the number of subscriptions that it had, and of those that are open. */
function countSubscriptions() {
  let [all, open] = [0, 0]
  const store: Pick<EventStore, 'subscribeAll'> = {
    async *subscribeAll<E extends Event>(options: SubscribeOptions) {
      all++
      open++
      yield* db.store.subscribeAll<E>(options)
      open--
    },
  }
  return { store, subscriptions: () => all, open: () => open }
}

describe('read models of one process', () => {
  it('are read by one subscription and written in one transaction', async () => {
    const { store, subscriptions } = countSubscriptions()
    runAll(MODELS, store)
    await grant(1)
    await reachesHead(...MODELS)
    await grant(2)
    await reachesHead(...MODELS)
    expect(subscriptions()).toBe(1)
    expect(await transactions()).toBe(1)
    expect(await counts()).toEqual([2, 2, 2])
  })

  it('begin with one subscription again after a stop, although not every event concerned all of them', async () => {
    const models = [...MODELS, openTasks]
    const before = runAll(models)
    await grant(1)
    await reachesHead(...MODELS)
    await before.stop()
    await reachesHead(...models)
    const { store, subscriptions } = countSubscriptions()
    const { onLive } = runAll(models, store)
    await eventually(() => expect(onLive).toHaveBeenCalledTimes(models.length))
    expect(subscriptions()).toBe(1)
  })

  it('catch up in transactions of their own, side by side, and are written together at the head', async () => {
    for (const amount of [1, 2, 3]) await grant(amount)
    runAll(MODELS, inBatchesOf(db.store, 2))
    await reachesHead(...MODELS)
    const { rows } =
      await db.pool.query(`select xmin::text, count(*)::int from (select xmin from credit_balance union all
      select xmin from credit_entry union all select xmin from credit_flow) written group by 1`)
    expect(rows.map((row) => row.count).toSorted()).toEqual([2, 2, 2, 3])
  })

  it('take batches at the head of the log 50 ms apart, so that events share a transaction under load', async () => {
    const taken = Promise.withResolvers<void>()
    const position = '00000000000000000001' as GlobalPosition
    runAll(MODELS, {
      async *subscribeAll({ onLive }) {
        onLive?.()
        await turn()
        const took = stopwatch()
        yield { events: [], position, live: true }
        // Timers count whole milliseconds.
        took.atLeast(47)
        taken.resolve()
      },
    })
    await taken.promise
  })

  it('join the others when one of them has caught up from an earlier checkpoint', async () => {
    for (const amount of [1, 2, 3]) await grant(amount)
    const before = runAll([creditBalances, creditEntries])
    await reachesHead(creditBalances, creditEntries)
    await before.stop()
    const { store, subscriptions, open } = countSubscriptions()
    runAll(MODELS, store)
    await reachesHead(...MODELS)
    await eventually(() => expect(open()).toBe(1))
    for (const amount of [4, 5]) await grant(amount)
    await reachesHead(...MODELS)
    expect(await transactions()).toBe(1)
    expect(await counts()).toEqual([5, 5, 5])
    expect(subscriptions()).toBe(2)
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
    runAll([throwing, creditEntries, creditFlows])
    for (const amount of [1, POISON, 2]) await grant(amount)
    await reachesHead(throwing, creditEntries, creditFlows)
    expect(await parked()).toEqual(['creditBalances'])
    expect(await counts()).toEqual([2, 3, 3])
  })

  it('go on without the one whose row Postgres rejects', async () => {
    await db.pool.query(`alter table credit_flow add constraint no_poison check (amount <> ${POISON})`)
    runAll(MODELS)
    for (const amount of [1, POISON, 2]) await grant(amount)
    await reachesHead(...MODELS)
    expect(await parked()).toEqual(['creditFlows'])
    expect(await counts()).toEqual([3, 3, 2])
  })

  it('go on without the one whose checkpoint is locked, which catches up afterwards', async () => {
    runAll(MODELS)
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
    const processes = [runAll(MODELS), runAll(MODELS)]
    for (let amount = 1; amount <= 30; amount++) await grant(amount)
    await reachesHead(...MODELS)
    expect(await counts()).toEqual([30, 30, 30])
    const { rows } = await db.pool.query(`select distinct jsonb_array_length(lots) as lots from credit_balance`)
    expect(rows).toEqual([{ lots: 1 }])
    expect(processes.flatMap(({ log }) => log.error.mock.calls.map(([, text]) => text))).not.toContain(
      'event cannot be projected and is parked',
    )
  })
})
