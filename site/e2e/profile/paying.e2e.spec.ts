import type { Route } from 'playwright'
import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { holdClock } from '../testing/heldClock.ts'
import { type Language, languagesInTurn, viewsInTurn } from '../testing/languagesInTurn.ts'
import { openMoneyDouble, PRO_MONTHLY } from '../testing/moneyDouble.ts'
import { describeOnSite, type OnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'
import { problem } from '../testing/workspaceDouble.ts'

const prefix = (language: Language) => (language === 'zh' ? '/zh' : '')
const CREDITS = 'kinora.user'

/** Opens a page with a stopped clock and a test double of the server. */
async function stoppedPage(site: OnSite, language: Language) {
  const page = await site.visit({ language })
  const state = await openMoneyDouble(page, site.url, language)
  await holdClock(page)
  return { page, state, texts: await words(language, 'payment') }
}

describeOnSite('the return from the payment provider', (site) => {
  it.each(languagesInTurn())('opens the workspace after the confirmation (%s)', async (language) => {
    const { page, state, texts } = await stoppedPage(site, language)
    await page.goto(`${site.url}${prefix(language)}/payment/success?subscription_id=I-1&ba_token=BA-1`)
    await page.getByRole('heading', { name: texts.checkingHeading }).waitFor()
    await expect.poll(() => state.sent.get('POST /subscriptions/confirm')).toEqual({ subscription_id: 'I-1' })
    await page.clock.runFor(1_900)
    expect(state.server.calls).not.toContain('GET /subscriptions/stats')
    await page.clock.runFor(100)
    await page.getByRole('heading', { name: texts.doneHeading }).waitFor()
    await page.locator('.toast').getByText(texts.done, { exact: true }).waitFor()
    const kept = await page.evaluate((key) => JSON.parse(localStorage.getItem(key) ?? '{}').credits, CREDITS)
    expect(kept).toBe(2_940)
    await page.clock.runFor(2_900)
    expect(new URL(page.url()).pathname).toBe(`${prefix(language)}/payment/success`)
    await page.clock.runFor(200)
    await page.waitForURL(`${site.url}${prefix(language)}/workspace`)
    await page.context().close()
  })

  it.each(languagesInTurn())('opens the subscription if the confirmation fails (%s)', async (language) => {
    const { page, state, texts } = await stoppedPage(site, language)
    state.server.rare.set('POST /subscriptions/confirm', problem(404, 'not_found'))
    await page.goto(`${site.url}${prefix(language)}/subscription/success?subscription_id=I-of-another`)
    await page.getByRole('heading', { name: texts.failedHeading }).waitFor()
    await page.locator('.toast').getByText(texts.processingFailed, { exact: true }).waitFor()
    await page.clock.runFor(1_900)
    expect(new URL(page.url()).pathname).toBe(`${prefix(language)}/subscription/success`)
    await page.clock.runFor(200)
    await page.waitForURL(`${site.url}${prefix(language)}/profile#subscription`)
    await page.context().close()
  })

  it.each(viewsInTurn())('has no axe violation (%s, %i px)', async (language, width) => {
    const texts = await words(language, 'payment')
    const page = await site.visit({ language, width })
    const { server } = await openMoneyDouble(page, site.url, language)
    // A 204 response keeps the browser on the page.
    await page.route(/\/(workspace|profile)$/, (route) => route.fulfill({ status: 204 }))
    const confirmed = server.rare.get('POST /subscriptions/confirm')!
    for (const [answer, heading] of [
      [() => {}, texts.checkingHeading],
      [confirmed, texts.doneHeading],
      [problem(404, 'not_found'), texts.failedHeading],
    ] as const) {
      server.rare.set('POST /subscriptions/confirm', answer)
      await page.goto(`${site.url}${prefix(language)}/payment/success?subscription_id=I-1`)
      await page.getByRole('heading', { name: heading }).waitFor()
      expect(await axeFaults(page)).toEqual([])
    }
    await page.context().close()
  })

  it.each(
    sampled(
      [
        ['a pending payment', 'free', 'pending', null, true],
        ['a pending upgrade of the plan', 'pro', 'active', PRO_MONTHLY, true],
        [
          'a plan whose first payment has not arrived',
          'pro',
          'active',
          { ...PRO_MONTHLY, current_period_start: null },
          false,
        ],
        ['a smaller plan that starts later', 'pro', 'cancelled', { ...PRO_MONTHLY, next_tier: 'standard' }, false],
      ] as const,
      2,
    ),
  )('reports %s, and no successful payment', async (_, tier, status, current, pending) => {
    const { page, state, texts } = await stoppedPage(site, 'en')
    state.pending = pending
    state.stats = { ...state.stats, current_tier: tier, current_status: status }
    state.current = current
    const isLater = current?.next_tier === 'standard'
    await page.goto(`${site.url}/payment/success?subscription_id=I-1`)
    const heading = page.getByRole('heading', { name: isLater ? texts.laterHeading : texts.pendingHeading })
    // The two seconds start with the response, so advance the clock until the text appears.
    const look = async () => {
      await page.clock.runFor(200)
      return heading.isVisible()
    }
    await expect.poll(look).toBe(true)
    if (isLater) {
      const start = new Intl.DateTimeFormat('en', { dateStyle: 'long' }).format(Date.parse(current.current_period_end!))
      await page.getByText(texts.laterText.replace('{{plan}}', 'Standard').replace('{{date}}', start)).waitFor()
      await expect.poll(() => page.locator('main').textContent()).not.toContain('2,940')
    }
    await page.clock.runFor(200)
    await expect.poll(() => page.locator('.toast').count()).toBe(0)
    await page.context().close()
  })

  it.each([
    ['none', ''],
    ['unapproved', '?subscription_id=I-1'],
    ['ended', '?subscription_id=I-1'],
  ] as const)('thanks for no payment if there is none (%s)', async (outcome, query) => {
    for (const language of languagesInTurn()) {
      const { page, state, texts } = await stoppedPage(site, language)
      if (outcome !== 'none') state.outcome = outcome
      await page.goto(`${site.url}${prefix(language)}/payment/success${query}`)
      const heading = page.getByRole('heading', { name: texts[`${outcome}Heading`] })
      const look = async () => {
        await page.clock.runFor(200)
        return heading.isVisible()
      }
      await expect.poll(look).toBe(true)
      await expect.poll(() => page.locator('.toast').count()).toBe(0)
      await expect.poll(() => page.locator('main').textContent()).not.toContain(texts.doneHeading)
      await page.context().close()
    }
  })

  it.each(languagesInTurn())('redirects visitors to the login page (%s)', async (language) => {
    for (const path of sampled(['/payment/success', '/subscription/success'])) {
      const address = `${site.url}${prefix(language)}${path}?subscription_id=I-1`
      const answer = await fetch(address)
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('content="noindex"')])
      const page = await site.visit({ language })
      await page.goto(address, { waitUntil: 'commit' })
      const next = encodeURIComponent(`${prefix(language)}${path}?subscription_id=I-1`)
      await page.waitForURL(`${site.url}${prefix(language)}/auth/login?next=${next}`)
      await page.context().close()
    }
  })
})

describeOnSite('the plans of the landing page', (site) => {
  it.each(languagesInTurn())('send members to the payment provider, or explain a failure (%s)', async (language) => {
    const texts = await words(language, 'payment')
    const page = await site.visit({ language })
    const { server, sent } = await openMoneyDouble(page, site.url, language)
    await page.goto(site.url + prefix(language))
    const approved = server.rare.get('POST /subscriptions/upgrade')!
    const link = (approval_url: unknown) => (route: Route) => route.fulfill({ json: { data: { approval_url } } })
    const refusals: readonly (readonly [(route: Route) => Promise<void> | void, string])[] = [
      [link(undefined), texts.noLink],
      [link('javascript:alert(1)'), texts.noLink],
      [problem(409, 'strange'), 'The server says: strange.'],
      [(route) => route.fulfill({ status: 400, json: { message: 'Said otherwise.' } }), 'Said otherwise.'],
      [(route) => route.fulfill({ status: 400, json: {} }), texts.failed],
      [(route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }), texts.creationFailed],
      [(route) => route.fulfill({ status: 200, body: 'not JSON' }), texts.subscriptionFailed],
    ]
    // The double's user has the Pro plan, which cannot be chosen again.
    const button = page.locator('#plans a.button').nth(3)
    for (const [answer, text] of refusals) {
      server.rare.set('POST /subscriptions/upgrade', answer)
      await button.click()
      await page.locator('.toast').getByText(text, { exact: true }).waitFor()
    }
    await button.evaluate((element) => element.setAttribute('data-plan', 'gold'))
    await button.click()
    await page.locator('.toast').getByText(texts.invalidPlan, { exact: true }).waitFor()
    await button.evaluate((element) => element.setAttribute('data-plan', 'pro'))
    server.rare.set('POST /subscriptions/upgrade', approved)
    await button.click()
    await page.waitForURL(/\/privacy$/)
    expect(sent.get('POST /subscriptions/upgrade')).toEqual({
      new_tier: 'pro',
      billing_cycle: 'monthly',
      language,
      consent: '2026-11',
    })
    await page.context().close()
  })
})
