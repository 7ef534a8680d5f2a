import { expect, it } from 'vitest'
import { type Money, money } from '#backend/operators/contract.ts'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeOnBoard } from '../testing/onBoard.ts'

const DOLLARS = { currency: 'USD', sales: 3, gross: 14_997, refunds: 499 }
const YUAN = { currency: 'CNY', sales: 2, gross: 7_000, refunds: 0, fees: null, unknown_fees: 2 }
const DATA: Money = {
  currencies: [
    { ...DOLLARS, fees: 670, unknown_fees: 0, net: 13_828 },
    { ...YUAN, net: null },
  ],
  plans: [{ item: 'medium', pack: true, ...DOLLARS, credits: 3_300, margin: 9_000 }],
  tills: [
    { provider: 'paypal', ...DOLLARS, fees: 206, unknown_fees: 1 },
    { provider: 'stripe', ...YUAN },
  ],
  models: [{ model: 'MiniMax-Hailuo-02', clips: 12, credits: 360, cost: 336, margin: null }],
  engines: [{ engine: 'minimax', clips: 12, cost: 336 }],
  recurring: { mrr: [{ currency: 'USD', amount: 4_499 }], subscribers: 1, before: 1, churned: 0, churn: 0 },
  zeros: [
    { day: '2026-11-28', zero: true, signed: true, sales: 3, differences: [], unreached: [] },
    {
      day: '2026-11-27',
      zero: false,
      signed: true,
      sales: 1,
      differences: ['SALE-1: 12.99, not 12.98'],
      unreached: [],
    },
  ],
}

describeOnBoard('the page about money', (on) => {
  it.each(languagesInTurn())('tells fees as far as they are known, and names each figure (%s)', async (language) => {
    const { page, t, panel, rowsOf } = await on.open(language, (state) => {
      state.rare.set(money.path, (route) => route.fulfill({ json: { success: true, data: DATA } }))
    })
    await page.getByRole('link', { name: t.pages.money }).click()
    await panel(t.money.revenue).getByText(t.money.feesHint).waitFor()
    const [known, some] = language === 'en' ? ['$6.70', '$2.06'] : ['US$6.70', 'US$2.06']
    const one = (t.money.untoldSome_one ?? t.money.untoldSome_other).replace('{{count}}', '1')
    const rows = (await rowsOf(t.money.revenue)).join('\n')
    expect(rows).toMatch(new RegExp(`USD .*${known.replace('$', '\\$')} \\S*138\\.28`))
    expect(rows).toMatch(new RegExp(`CNY \\S+ \\S+ ${t.money.untold} —`))
    expect(rows).toContain(`${some}${one}`)
    expect(rows).toMatch(new RegExp(`Stripe .*${t.money.untold}$`, 'm'))
    expect((await rowsOf(t.money.plans)).join('\n')).toContain(t.money.packs.medium)

    for (const width of sampled([390, 1280, 1680])) {
      await page.setViewportSize({ width, height: 900 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
      expect(await axeFaults(page)).toEqual([])
      const shots = process.env.KINORA_SHOTS
      if (shots) await page.screenshot({ path: `${shots}/money-${language}-${width}.png`, fullPage: true })
    }
    await page.setViewportSize({ width: 390, height: 900 })
    const named = await panel(t.money.revenue).evaluate((part) =>
      [...part.querySelectorAll('tbody td')].map((cell) => getComputedStyle(cell, '::before').content),
    )
    const [gross, refunds, fees] = [t.money.gross, t.money.refunds, t.money.fees]
    const ofCurrency = [gross, refunds, fees, t.money.net]
    const ofTill = [t.money.sales, gross, refunds, fees]
    expect(named.map((text) => text.replaceAll(/["\s]/g, ''))).toEqual(
      [...ofCurrency, ...ofCurrency, ...ofTill, ...ofTill].map((name) => name.replaceAll(/\s/g, '')),
    )
    await page.context().close()
  })

  it('can be read again after a failure', async () => {
    const { page, state, t, panel } = await on.open('en', ({ rare }) => {
      rare.set(money.path, (route) => route.fulfill({ status: 503 }))
    })
    await page.getByRole('link', { name: t.pages.money }).click()
    const again = page.locator('.desk-person').getByRole('button', { name: t.reload })
    await again.waitFor()
    state.rare.set(money.path, (route) => route.fulfill({ json: { success: true, data: DATA } }))
    await again.click()
    await panel(t.money.revenue).waitFor()
    await again.waitFor({ state: 'detached' })
    await page.context().close()
  })
})
