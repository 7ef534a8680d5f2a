import type { Locator, Page } from 'playwright'
import { expect } from 'vitest'
import type { OnSite } from './onSite.ts'
import { words } from './walkJourney.ts'

const DAY = 24 * 3_600_000
const APPROVE = { en: 'Approve', zh: '同意' }

/** Reloads the page until it shows an element, because webhooks and projections take a moment. */
async function reloadUntil(page: Page, element: Locator): Promise<void> {
  await expect
    .poll(async () => {
      await page.reload()
      await page.locator('#subscription .usage, #credits tbody tr').first().waitFor()
      return element.count()
    })
    .toBeGreaterThan(0)
}

/**
 * Walks through a plan's life cycle in a browser, with the payment sandbox and a test clock: purchase, renewal, failed
 * payment, recovery, cancellation, reactivation, second cancellation and expiry. @throws if a step fails
 */
export async function walkPlan(site: OnSite, language: 'en' | 'zh'): Promise<void> {
  const dev = (path: string, body = {}) =>
    fetch(`${site.url}/dev/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const advance = (days: number) => dev('clock', { advance_ms: days * DAY })
  const prefix = language === 'zh' ? '/zh' : ''
  const [texts, payment] = [await words(language, 'subscription'), await words(language, 'payment')]
  const [credits, { tier }] = [await words(language, 'credits'), await words(language, 'plans')]
  const user = await site.newUser()
  await user.call('PUT', '/users/language', { language })
  const page = await site.visit({ language, user, width: language === 'zh' ? 390 : 1280 })
  const profile = `${site.url}${prefix}/profile`
  const panel = page.locator('#subscription')
  const status = (text: string) => panel.getByText(text, { exact: true })
  // Exact, because "13,560 left" contains "60 left".
  const left = (count: string) => panel.getByText(texts.left.replace('{{remaining}}', count), { exact: true })

  await page.goto(`${profile}#subscription`)
  await panel.getByRole('button', { name: texts.choose.subscribe.replace('{{plan}}', tier.pro.name) }).click()
  await page.getByRole('button', { name: APPROVE[language] }).click()
  await page.getByRole('heading', { name: payment.doneHeading }).waitFor()
  const id = new URL(page.url()).searchParams.get('subscription_id')
  await page.waitForURL(`${site.url}${prefix}/workspace`)
  await expect.poll(() => page.locator('[data-user=credits]').textContent()).toBe('4,560')

  await page.goto(profile)
  await status(texts.statusOf.active).waitFor()
  await left('4,560').waitFor()
  await page.goto(`${profile}/billing`)
  await expect.poll(() => page.locator('#billing tbody tr').count()).toBe(1)
  const reasons = page.locator('#credits tbody th')
  await page.goto(`${profile}/credits`)
  await reasons.filter({ hasText: credits.reason.subscription }).waitFor()
  await page.goto(profile)

  await advance(32)
  await reloadUntil(page, left('9,060'))
  await dev(`paypal/${id}/fail-payment`)
  await reloadUntil(page, panel.getByText(texts.notice.grace.split('{{')[0]!))
  await dev(`paypal/${id}/renew`)
  await reloadUntil(page, left('13,560'))

  const cancel = async () => {
    await panel.getByRole('button', { name: texts.cancel.open }).click()
    await page.locator('dialog[open]').getByRole('button', { name: texts.cancel.confirm }).click()
    await status(texts.statusOf.cancelled).waitFor()
  }
  await cancel()
  await reloadUntil(page, status(texts.statusOf.cancelled))
  await panel.getByRole('button', { name: texts.reactivate }).click()
  await status(texts.statusOf.active).waitFor()
  await cancel()
  // Wait for the suspension: otherwise, advancing the clock by two months would bill them.
  const agreement = () => fetch(`${site.url}/dev/paypal/approve/${id}`).then((answer) => answer.text())
  await expect.poll(agreement).toContain('data-status="suspended"')
  await advance(62)
  await reloadUntil(page, status(texts.statusOf.expired))
  await reloadUntil(page, left('60'))
  await page.goto(`${profile}/credits`)
  await reloadUntil(page, reasons.filter({ hasText: credits.reason.subscription_ended }))
  await page.context().close()
}
