import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openZeros } from '../../app/zeros.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { buyPlan, postDev, readStats, soon } from '../../testing/plans.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import { type DailyZero, isSigned, sentenceOf } from './dailyZero.ts'
import { readZeros, writeZeros } from './startZeros.ts'

const DAY_MS = 24 * 3_600_000
let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
})
afterAll(() => kinora?.close())

const sql = async <Row>(text: string) => (await kinora.context.pool.query(text)).rows as Row[]
const write = () => writeZeros(openZeros(kinora.context, kinora.context))
const alerts = () =>
  sql<{ code: string; detail: string }>('select code, detail from operator_alert where cleared_at is null')

describe('the daily zero', { shuffle: false }, () => {
  let day = ''
  const ofDay = async () => {
    const stored = (await readZeros(kinora.context.pool, 10)).find((each) => each.day === day)!
    const { record: text, signature, public_key: publicKey } = stored
    return {
      zero: stored.is_zero,
      signed: isSigned({ text, signature, publicKey }),
      ...(JSON.parse(text) as DailyZero),
      text,
    }
  }

  it('agrees for a plan, a pack and a refund, and is signed by the key of the installation', async () => {
    const user = await kinora.newUser()
    const agreement = await buyPlan(kinora, user, 'standard')
    const buy = await user.call('POST', '/credits/packs/small/buy', {})
    const { data } = (await buy.json()) as { data: { order_id: string } }
    await postDev(kinora, `paypal/${data.order_id}/approve`, {})
    await soon(async () => expect((await readStats(user)).remaining_credits).toBe(1_360))
    await postDev(kinora, `paypal/${agreement}/refund`)
    await soon(async () => expect((await readStats(user)).remaining_credits).toBe(360))
    day = new Date(kinora.context.calendar()).toISOString().slice(0, 10)
    await postDev(kinora, 'clock', { advance_ms: DAY_MS + 3 * 3_600_000 })
    await write()
    const { zero, signed, sales, refunds, totals, credits, differences } = await ofDay()
    const shown = { zero, signed, sales, refunds, differences }
    expect(shown).toEqual({ zero: true, signed: true, sales: 2, refunds: 1, differences: [] })
    expect(totals.map(({ till, subscriptions }) => till - subscriptions)).toEqual([0])
    expect(credits.granted).toBe(credits.sold)
    expect(await alerts()).toEqual([])
  })

  it('finds a difference of one cent, names the sale, and alerts until it is gone', async () => {
    const [sale] = await sql<{ id: string; cents: number }>(
      'select id, amount_cents as cents from sandbox_sale order by id limit 1',
    )
    const seed = (cents: number) =>
      kinora.context.pool.query('update sandbox_sale set amount_cents = amount_cents + $1 where id = $2', [
        cents,
        sale!.id,
      ])
    await seed(1)
    await sql('delete from daily_zero')
    await write()
    const found = await ofDay()
    const { differences, zero, signed } = found
    expect([zero, signed]).toEqual([false, true])
    expect(differences).toEqual([
      { what: 'sale', id: sale!.id, currency: 'USD', till: sale!.cents + 1, subscriptions: sale!.cents, ledger: null },
    ])
    expect(await alerts()).toMatchObject([
      { code: 'daily_zero', detail: expect.stringContaining(`${day}: ${sentenceOf(differences[0]!)}`) },
    ])
    await seed(-1)
    await write()
    expect([(await ofDay()).zero, await alerts()]).toEqual([true, []])
  })

  it('finds a credit that the ledger granted too little', async () => {
    const edit = (from: number, to: number) =>
      kinora.context.pool.query(
        `update event set data = jsonb_set(data::jsonb, '{amount}', to_jsonb($1::int)) where type = 'CreditLotGranted'
           and data::jsonb->>'source' = 'pack' and (data::jsonb->>'amount')::int = $2`,
        [to, from],
      )
    expect((await edit(300, 299)).rowCount).toBe(1)
    await sql('delete from daily_zero')
    await write()
    expect((await ofDay()).differences).toMatchObject([{ what: 'credits', subscriptions: 300, ledger: 299 }])
    await edit(299, 300)
  })

  it('is no longer signed once it is edited', async () => {
    await sql(`update daily_zero set record = replace(record, '"ledger":299', '"ledger":300')`)
    expect((await ofDay()).signed).toBe(false)
  })

  it('follows for every day on which no process ran, also for those before the last week', async () => {
    await sql('delete from daily_zero where day > (select min(day) from daily_zero)')
    await sql('update daily_zero set day = day - 9')
    await write()
    const gaps = 'select max(day) - min(day) + 1 - count(*)::int as gaps, count(*)::int as days from daily_zero'
    expect(await sql(gaps)).toEqual([{ gaps: 0, days: 16 }])
  })
})
