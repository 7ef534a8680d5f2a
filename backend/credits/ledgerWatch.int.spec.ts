import { afterAll, beforeAll, expect, it } from 'vitest'
import { readBalances } from '#projections/credits/readCredits.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { createLedgerWatch } from './ledgerWatch.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
})
afterAll(() => kinora.close())

it('reports a balance that differs from its history, and not one that is only late', async () => {
  const { pool, database } = kinora.context
  const [owner, other] = [await kinora.newUser(), await kinora.newUser()]
  let now = 0
  const watch = createLedgerWatch((page) => readBalances(database, page), { now: () => now, settleMs: 1_000, page: 2 })
  const check = async () => {
    for (let page = 0; page < 5; page++) await watch.check()
    return (await watch.check()).drifted
  }
  const grant = (userId: string, amount: number) =>
    pool.query(
      `update credit_balance set lots = jsonb_set(lots, '{0,left}', to_jsonb((lots #>> '{0,left}')::int + $2::int)) where id = $1`,
      [userId, amount],
    )
  expect(await check()).toEqual([])
  await grant(owner.userId, 30)
  await grant(other.userId, -30)
  expect(await check()).toEqual([])
  await grant(other.userId, 30)
  now += 1_000
  expect(await check()).toEqual([{ userId: owner.userId, balance: 90, entries: 60 }])
  await grant(owner.userId, -30)
  expect(await check()).toEqual([])
})
