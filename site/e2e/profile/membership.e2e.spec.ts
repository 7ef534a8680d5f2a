import type { Route } from 'playwright'
import { expect, it } from 'vitest'
import { axeFaults } from '../testing/axeFaults.ts'
import { type Language, languagesInTurn } from '../testing/languagesInTurn.ts'
import { entryOf, invoiceOf, type MoneyState, openMoneyDouble, PRO, PRO_MONTHLY } from '../testing/moneyDouble.ts'
import { describeOnSite, type OnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { problem } from '../testing/workspaceDouble.ts'

const FREE = { ...PRO, current_tier: 'free', remaining_credits: 6, total_credits: 60, used_credits: 54 } as const
const DAY_MS = 86_400_000
const nothingSaid = (status: number) => (route: Route) => route.fulfill({ status, json: {} })

/** Opens a member's profile; `put` changes the server's state and reloads the page. */
async function openProfile(site: OnSite, language: Language, set: (state: MoneyState) => void = () => {}) {
  const page = await site.visit({ language })
  const state = await openMoneyDouble(page, site.url, language)
  set(state)
  const address = `${site.url}${language === 'zh' ? '/zh' : ''}/profile`
  await page.goto(address)
  const panel = page.locator('#subscription')
  await panel.locator('.usage').waitFor()
  const put = async (change: Partial<MoneyState>) => {
    Object.assign(state, change)
    await page.reload()
    await panel.locator('.usage').waitFor()
  }
  const texts = await words(language, 'subscription')
  return { page, state, panel, put, texts, plans: (await words(language, 'plans')).tier }
}

const dayOf = (language: Language, iso: string) =>
  new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en', { dateStyle: 'long' }).format(Date.parse(iso))

describeOnSite("a member's plan", (site) => {
  it.each(languagesInTurn())('is shown in every state (%s)', async (language) => {
    const { page, panel, put, texts, plans } = await openProfile(site, language)
    const end = dayOf(language, PRO_MONTHLY.current_period_end!)
    const cancelButton = panel.getByRole('button', { name: texts.cancel.open })
    await expect
      .poll(() => panel.locator('dl').textContent())
      .toMatch(new RegExp([plans.pro.name, texts.monthly, texts.nextBilling, end, texts.statusOf.active].join('[^]*')))
    await expect.poll(() => panel.locator('.usage').getAttribute('data-tone')).toBeNull()
    const used = { ...PRO, remaining_credits: 900, used_credits: 3600 }
    await put({ stats: used })
    await expect.poll(() => panel.locator('.usage').getAttribute('data-tone')).toBeNull()
    await put({ stats: { ...used, remaining_credits: 899, used_credits: 3601 } })
    await expect.poll(() => panel.locator('.usage').getAttribute('data-tone')).toBe('danger')

    const [overdue, graceEnd] = [-2, 5].map((days) => new Date(Date.now() + days * DAY_MS).toISOString())
    await put({ current: { ...PRO_MONTHLY, current_period_end: overdue!, grace_until: graceEnd! } })
    await panel.getByText(dayOf(language, graceEnd!)).waitFor()
    const { nextRetry, nextNone } = await words(language, 'billing')
    const bills = page.locator('#billing')
    for (const section of [panel, bills]) await section.getByText(nextRetry).waitFor()
    await cancelButton.click()
    const question = page.locator('dialog[open]')
    await question.getByText(texts.cancel.text.replace('{{date}}', dayOf(language, graceEnd!))).waitFor()
    await question.getByRole('button', { name: texts.cancel.keep }).click()
    await put({ current: { ...PRO_MONTHLY, current_period_end: overdue! } })
    await cancelButton.click()
    await question.getByText(texts.cancel.textNow).waitFor()
    await question.getByRole('button', { name: texts.cancel.keep }).click()
    await put({
      stats: { ...PRO, current_status: 'suspended' },
      current: { ...PRO_MONTHLY, status: 'suspended', current_period_end: overdue!, grace_until: overdue! },
    })
    await panel.getByText(texts.statusOf.suspended, { exact: true }).waitFor()
    for (const section of [panel, bills]) await section.getByText(nextNone).waitFor()
    await panel.getByRole('button', { name: texts.choose.again.replace('{{plan}}', plans.pro.name) }).waitFor()

    const cancelled = { ...PRO_MONTHLY, status: 'cancelled', cancel_at_period_end: true, can_reactivate: true } as const
    await put({ stats: { ...PRO, current_status: 'cancelled' }, current: { ...cancelled, next_tier: 'standard' } })
    await panel.getByText(texts.statusOf.active, { exact: true }).waitFor()
    await panel.getByText(texts.notice.next.replace('{{date}}', end).replace('{{plan}}', plans.standard.name)).waitFor()
    await panel.getByRole('button', { name: texts.keepPlan.replace('{{plan}}', plans.pro.name) }).waitFor()
    await put({ current: cancelled })
    await panel.getByText(texts.statusOf.cancelled, { exact: true }).waitFor()
    await panel.getByText(texts.ends, { exact: true }).waitFor()
    await expect.poll(() => cancelButton.count()).toBe(0)
    await put({ current: { ...cancelled, current_period_end: graceEnd!, grace_until: graceEnd! } })
    await panel.getByRole('button', { name: texts.reactivate }).waitFor()
    await bills.getByText(nextNone).waitFor()
    await expect.poll(() => panel.locator('.notice').count()).toBe(1)
    const again = panel.getByRole('button', { name: texts.choose.again.replace('{{plan}}', plans.pro.name) })
    await expect.poll(() => again.count()).toBe(0)
    await put({ current: { ...cancelled, can_reactivate: false } })
    await again.waitFor()
    await expect.poll(() => panel.getByRole('button', { name: texts.reactivate }).count()).toBe(0)

    await put({ current: { ...cancelled, can_reactivate: false, next_tier: 'standard' } })
    await cancelButton.click()
    await question.getByText(texts.cancel.textFinal.replace('{{date}}', end)).waitFor()
    await question.getByRole('button', { name: texts.cancel.confirm }).click()
    await panel.getByText(texts.statusOf.cancelled, { exact: true }).waitFor()
    await expect.poll(() => panel.getByRole('button', { name: texts.reactivate }).count()).toBe(0)

    await put({ stats: FREE, current: null })
    await expect
      .poll(() => panel.locator('dl').textContent())
      .toMatch(new RegExp([plans.free.name, texts.expires, texts.never].join('[^]*')))
    await expect.poll(() => panel.locator('dl').textContent()).not.toContain(texts.cycle)
    await expect.poll(() => panel.locator('.usage').getAttribute('data-tone')).toBeNull()
    await expect.poll(() => cancelButton.count()).toBe(0)
    await page.context().close()
  })

  it('can be chosen again by a buyer who comes back by the history', async () => {
    const { page, panel, texts, plans } = await openProfile(site, 'en')
    // The payment page does not open, so that this one stays as the browser restores it.
    await page.route('**/privacy', (route) => route.fulfill({ status: 204 }))
    const button = panel.getByRole('button', { name: texts.choose.upgrade.replace('{{plan}}', plans.ultimate.name) })
    const left = page.waitForResponse('**/privacy')
    await button.click()
    await left
    await expect.poll(() => button.getAttribute('aria-busy')).toBe('true')
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
    await expect.poll(() => button.getAttribute('aria-busy')).toBeNull()
    await page.context().close()
  })

  it.each(languagesInTurn())('can be ended now, after it says what is lost (%s)', async (language) => {
    const { page, state, panel, texts } = await openProfile(site, language)
    const dialog = page.locator('dialog[open]')
    await panel.getByRole('button', { name: texts.cancel.open }).click()
    const now = texts.cancel.now.replace('{{credits}}', '2,880')
    await dialog.getByText(texts.cancel.keepUntil.replace('{{credits}}', '2,880')).waitFor()
    await expect.poll(() => dialog.getByText(texts.cancel.refundable).count()).toBe(0)
    await dialog.getByRole('radio', { name: now }).check()
    await dialog.getByText(texts.cancel.refundable).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: texts.cancel.confirm }).click()
    await page.locator('.toast').getByText(texts.cancel.doneRefund, { exact: true }).waitFor()
    expect(state.sent.get('POST /subscriptions/cancel')).toEqual({ cancel_at_period_end: false })
    await page.context().close()
  })

  it.each(languagesInTurn())('can be cancelled and reactivated (%s)', async (language) => {
    const { page, state, panel, texts } = await openProfile(site, language)
    const payment = await words(language, 'payment')
    const dialog = page.locator('dialog[open]')
    const open = panel.getByRole('button', { name: texts.cancel.open })
    const confirm = dialog.getByRole('button', { name: texts.cancel.confirm })
    await open.click()
    await dialog.getByRole('button', { name: texts.cancel.keep }).click()
    expect(state.sent.has('POST /subscriptions/cancel')).toBe(false)

    const answered = state.server.rare.get('POST /subscriptions/cancel')!
    state.server.rare.set('POST /subscriptions/cancel', nothingSaid(400))
    await open.click()
    await dialog.getByLabel(texts.cancel.reason).fill(' Too dear ')
    await confirm.click()
    const failure = page.getByRole('dialog', { name: texts.cancel.failedTitle })
    await failure.getByText(texts.cancel.failed, { exact: true }).waitFor()
    state.server.rare.set('POST /subscriptions/cancel', problem(409, 'strange'))
    await failure.getByRole('button', { name: texts.cancel.again }).click()
    await confirm.click()
    await failure.getByText('The server says: strange.').waitFor()

    state.server.rare.set('POST /subscriptions/cancel', answered)
    await failure.getByRole('button', { name: texts.cancel.again }).click()
    await expect.poll(() => dialog.getByLabel(texts.cancel.reason).inputValue()).toBe('Too dear')
    await confirm.click()
    // The page does not reload the plan, which the server still reports as active.
    await panel.getByText(texts.statusOf.cancelled, { exact: true }).waitFor()
    expect(state.sent.get('POST /subscriptions/cancel')).toEqual({ reason: 'Too dear' })

    const goOn = panel.getByRole('button', { name: texts.reactivate })
    const reactivated = state.server.rare.get('POST /subscriptions/reactivate')!
    state.server.rare.set('POST /subscriptions/reactivate', nothingSaid(400))
    state.stats = { ...PRO, current_status: 'cancelled' }
    state.current = { ...PRO_MONTHLY, status: 'cancelled', cancel_at_period_end: true, can_reactivate: true }
    const loaded = page.waitForResponse('**/subscriptions/current')
    await goOn.click()
    await page.locator('.toast').getByText(payment.subscriptionFailed, { exact: true }).waitFor()
    await loaded
    state.server.rare.set('POST /subscriptions/reactivate', reactivated)
    state.stats = PRO
    state.current = PRO_MONTHLY
    await goOn.click()
    await panel.getByText(texts.statusOf.active, { exact: true }).waitFor()
    await open.click()
    await confirm.click()
    await expect.poll(() => state.sent.get('POST /subscriptions/cancel')).toBeNull()
    await page.context().close()
  })

  it.each(languagesInTurn())('shows sample data if it cannot be loaded (%s)', async (language) => {
    const { page, panel, texts } = await openProfile(site, language, ({ server }) => {
      for (const name of ['GET /subscriptions/stats', 'GET /videos/stats'])
        server.rare.set(name, problem(500, 'internal'))
    })
    await panel.getByText(texts.notice.sample).waitFor()
    await panel.getByText(texts.left.replace('{{remaining}}', '60'), { exact: true }).waitFor()
    await expect.poll(() => panel.locator('.plan-choice').count()).toBe(0)
    await expect.poll(() => page.locator('[data-figure=credits_remaining] dd').textContent()).toBe('60')
    await page.context().close()
  })

  it.each(languagesInTurn())('lists its payments and credit changes (%s)', async (language) => {
    const { page, state, panel } = await openProfile(site, language, (state) => {
      state.server.rare.set('GET /subscriptions/invoices', problem(503, 'unavailable'))
      state.invoices = [invoiceOf('i1'), invoiceOf('i2', { status: 'refunded', refunded: 4499 })]
      state.entries = [
        entryOf('e1', { reason: 'not delivered', kind: 'release', amount: 30 }),
        entryOf('e2', { reason: 'Sorry for Friday. Ticket 4711', kind: 'adjustment', amount: 100 }),
        ...Array.from({ length: 10 }, (_, index) => entryOf(`m${index}`)),
      ]
    })
    const [billing, credits] = [await words(language, 'billing'), await words(language, 'credits')]
    const amount = language === 'zh' ? 'US$44.99' : '$44.99'
    const home = `${site.url}${language === 'zh' ? '/zh' : ''}`
    await panel.waitFor()
    const bills = page.locator('#billing')
    const again = bills.getByRole('button', { name: (await words(language, 'common')).action.retry })
    await again.waitFor()
    await expect.poll(() => bills.getByText(billing.emptyText).count()).toBe(0)
    const { invoices } = state
    state.server.rare.set('GET /subscriptions/invoices', (route) =>
      route.fulfill({ json: { invoices: invoices.slice(0, 8), total: invoices.length } }),
    )
    await again.click()
    for (const text of [amount, billing.paypal, billing.statusOf.paid, 'K-i1'])
      await bills.locator('.profile-invoice').getByText(text, { exact: true }).waitFor()
    await page.goto(`${home}/profile/billing`)
    await bills.locator('tbody tr').first().waitFor()
    await expect
      .poll(() => bills.locator('.billing-next dd').textContent())
      .toBe(billing.nextAt.replace('{{amount}}', amount).replace('{{date}}', dayOf(language, PRO.next_reset_date!)))
    await expect.poll(() => bills.locator('tbody tr').last().textContent()).toContain(billing.statusOf.refunded)
    await page.goto(`${home}/profile/credits`)
    const history = page.locator('#credits')
    await history.locator('tbody th').first().waitFor()
    await expect
      .poll(() => history.locator('tbody th').first().textContent())
      .toContain(credits.reason['not delivered'])
    await expect.poll(() => history.locator('tbody th').nth(1).textContent()).toContain('Sorry for Friday. Ticket 4711')
    await expect
      .poll(() => history.getByRole('link', { name: credits.csv }).getAttribute('href'))
      .toBe('/api/v1/credits/history.csv')
    await page.goto(`${home}/profile/billing`)
    await bills.getByRole('link', { name: billing.open }).first().click()
    await page.getByRole('heading', { name: billing.invoice, level: 1 }).waitFor()
    await page.getByText('SALE-i1').waitFor()
    await page.emulateMedia({ media: 'print' })
    await expect
      .poll(() => page.locator('header.header, footer.footer, .invoice-actions').filter({ visible: true }).count())
      .toBe(0)
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(255, 255, 255)')
    await page.goto(`${home}/profile/invoice?id=of-another`)
    await page.getByRole('alert').getByText(billing.paper.missing).waitFor()
    await page.context().close()
  })

  it.each(languagesInTurn())(
    'withdraws from a contract in two steps, and edits the buyer of invoices (%s)',
    async (language) => {
      const { page, state, panel } = await openProfile(site, language, (state) => {
        const note = {
          kind: 'credit_note',
          number: 'K-9',
          amount: 4499,
          issued_at: PRO.next_reset_date!,
          pdf: '/of-note.pdf',
        } as const
        state.invoices = [
          invoiceOf('i1', { withdrawable_until: '2026-11-29T09:30:00.000Z' }),
          invoiceOf('i2', { status: 'refunded', refunded: 4499, corrections: [note] }),
        ]
      })
      const billing = await words(language, 'billing')
      await panel.waitFor()
      await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/profile/billing`)
      const note = page.getByRole('link', { name: billing.documents.credit_note.replace('{{number}}', 'K-9') })
      await expect.poll(() => note.getAttribute('href')).toBe('/of-note.pdf')
      const withdrawal = page.locator('#withdraw')
      await withdrawal
        .getByText(billing.withdraw.until.replace('{{date}}', dayOf(language, '2026-11-29T09:30:00.000Z')))
        .waitFor()
      const open = withdrawal.getByRole('button', { name: billing.withdraw.open })
      await expect.poll(() => open.count()).toBe(1)
      await open.click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('SALE-i1').waitFor()
      expect(await axeFaults(page, 'dialog[open]')).toEqual([])
      expect(state.sent.has('POST /subscriptions/withdraw')).toBe(false)
      await dialog.getByRole('button', { name: billing.withdraw.confirm }).click()
      const refund = language === 'zh' ? 'US$29.99' : '$29.99'
      await page
        .locator('.toast')
        .getByText(billing.withdraw.done.replace('{{amount}}', refund), { exact: true })
        .waitFor()
      expect(state.sent.get('POST /subscriptions/withdraw')).toEqual({ payment: 'SALE-i1' })

      const details = page.locator('#billing-details')
      const vatId = details.getByLabel(billing.details.vatId)
      await vatId.fill('123')
      const save = details.getByRole('button')
      await save.click()
      await details.getByText((await words(language, 'errors')).invalid_vat_id).waitFor()
      await vatId.fill('de 123 456 789')
      await details.getByLabel(billing.details.address).fill('Rynek 1\nŁódź')
      await save.click()
      await page.locator('.toast').getByText(billing.details.saved, { exact: true }).waitFor()
      expect(state.sent.get('PUT /subscriptions/billing-details')).toEqual({
        ...{ name: '', address: 'Rynek 1\nŁódź', country: '', vat_id: 'DE123456789' },
      })
      await page.context().close()
    },
  )
})
