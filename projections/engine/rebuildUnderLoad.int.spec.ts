import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import { eventually } from '#backend/testing/eventually.ts'
import { FULL } from '#backend/testing/fullRun.ts'
import { stopwatch } from '#backend/testing/stopwatch.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { creditBalances } from '../credits/creditBalance.ts'
import { engineRuns, inBatchesOf } from '../testing/engineRuns.ts'

/** In the short form, small batches keep the rebuild busy for a while. */
const [EVENTS, BATCH] = FULL ? [100_000, 500] : [4_000, 20]
const EVENTS_PER_ACCOUNT = 20
const BUDGET_MS = 5_000

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
const { run, stopAll } = engineRuns(() => db)
afterAll(async () => {
  await stopAll()
  await db.close()
})

const grant = (userId: string, amount: number) => ({
  id: uuid7(),
  type: 'CreditLotGranted',
  data: { userId, lotId: uuid7(), source: 'free', amount, expiresAt: null, at: '2026-01-01T00:00:00.000Z' },
})
const rows = async () =>
  (await db.pool.query<{ row: string }>('select t::text as row from credit_balance t order by id')).rows
const lotsOf = async (userId: string) =>
  (await db.pool.query('select jsonb_array_length(lots) as lots from credit_balance where id = $1', [userId])).rows[0]
    ?.lots ?? 0
const version = async () =>
  (await db.pool.query('select version from projection_checkpoint where name = $1', [creditBalances.name])).rows[0]
    .version
const isCurrent = async () => {
  const position = await db.store.head()
  const { rows } = await db.pool.query(
    'select 1 from projection_checkpoint where name = $1 and version = $2 and position = $3',
    [creditBalances.name, creditBalances.version, position],
  )
  return rows.length > 0
}
const reachesHead = () => eventually(async () => expect(await isCurrent()).toBe(true))

describe('a rebuild of a long log', () => {
  it(`shows new events in the old rows within ${BUDGET_MS} ms, and leaves the rows of a replay (${EVENTS} events)`, {
    timeout: 400_000,
  }, async () => {
    for (let n = 0; n < EVENTS; n += EVENTS_PER_ACCOUNT) {
      const userId = uuid7()
      const events = Array.from({ length: EVENTS_PER_ACCOUNT }, (_, lot) => grant(userId, lot + 1))
      await db.store.append(`creditAccount-${userId}`, 'no_stream', events)
    }
    const first = run(creditBalances)
    await reachesHead()
    await first.stop()
    await db.pool.query('update projection_checkpoint set version = 0')
    run(creditBalances, inBatchesOf(db.store, BATCH))

    const user = uuid7()
    let waits = 0
    let shown = 0
    await expect.poll(() => version()).toBe(0)
    for (;;) {
      const took = stopwatch()
      await db.store.append(`creditAccount-${user}`, 'any', [grant(user, 1)])
      shown++
      await expect.poll(() => lotsOf(user), { interval: 5 }).toBe(shown)
      if ((await version()) > 0) break
      took.within(BUDGET_MS)
      waits++
    }
    expect(waits).toBeGreaterThan(3)
    await reachesHead()
    const rebuilt = await rows()
    await db.pool.query('update projection_checkpoint set version = 0')
    await db.store.append(`creditAccount-${user}`, 'any', [grant(user, 1)])
    await reachesHead()
    const again = await rows()
    expect(again).toHaveLength(EVENTS / EVENTS_PER_ACCOUNT + 1)
    const others = (list: typeof rebuilt) => list.filter(({ row }) => !row.includes(user))
    expect(others(rebuilt)).toEqual(others(again))
    expect(await lotsOf(user)).toBe(shown + 1)
  })
})
