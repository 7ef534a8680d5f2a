import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  DOUBLE_KEY,
  DOUBLE_SECRET,
  type StripeDouble,
  startStripeDouble,
} from '#backend/providers/payments/stripe/testing/stripeDouble.ts'
import { intentOf, subscriptionOf } from '#backend/providers/payments/stripe/testing/stripeWorld.ts'
import { freePort } from '#backend/testing/freePort.ts'
import { FULL } from '#backend/testing/fullRun.ts'
import { readStats } from '#backend/testing/plans.ts'
import type { TestUser } from '#backend/testing/testUser.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

const DAY = 24 * 3_600_000
const PORT = String(await freePort())
let double: StripeDouble
/** How far business time is ahead of real time. */
let ahead = 0

/** Price of the small pack. */
const YUAN = /¥\s?35\.00/
const PAY = { en: 'Pay', zh: '付款' }

describeOnSite(
  'a buyer who pays through Stripe (its double)',
  (site) => {
    beforeAll(async () => {
      const clock = () => Date.now() + ahead
      double = await startStripeDouble({ port: Number(PORT), webhooks: `${site.url}/webhooks/stripe`, clock })
    })
    afterAll(() => double?.close())

    const advance = async (days: number) => {
      const body = JSON.stringify({ advance_ms: days * DAY })
      const headers = { 'content-type': 'application/json' }
      await fetch(`${site.url}/dev/clock`, { method: 'POST', headers, body })
      ahead += days * DAY
      double.model.advance(0)
      await double.deliver()
    }
    const left = (user: TestUser, credits: number) =>
      expect.poll(async () => (await readStats(user)).remaining_credits).toBe(credits)
    const mails = async (user: TestUser) => {
      const answer = await fetch(`${site.url}/dev/mailbox.json?to=${encodeURIComponent(user.email)}`)
      return ((await answer.json()) as { subject: string }[]).map(({ subject }) => subject)
    }

    /** Opens the account of a new user, who has a language. */
    async function openAccount(language: 'en' | 'zh') {
      const user = await site.newUser()
      await user.call('PUT', '/users/language', { language })
      const page = await site.visit({ language, user, width: language === 'zh' ? 390 : 1280 })
      const profile = `${site.url}${language === 'zh' ? '/zh' : ''}/profile`
      await page.goto(`${profile}#subscription`)
      return { user, page, profile, panel: page.locator('#subscription') }
    }
    const reloadUntil = async (page: Page, text: string) =>
      expect
        .poll(async () => {
          await page.reload()
          await page.locator('#subscription .usage').waitFor()
          return page.locator('#subscription').getByText(text, { exact: false }).count()
        })
        .toBeGreaterThan(0)

    // In `npm test`, stripe.int.spec.ts proves these calls, and buying.e2e.spec.ts the same pages.
    it.runIf(FULL).each(languagesInTurn())(
      'buys, renews, pauses, resumes and cancels a plan, and is refunded (%s)',
      async (language) => {
        const [texts, { tier }] = [await words(language, 'subscription'), await words(language, 'plans')]
        const mailed = await words(language, 'mails')
        const { user, page, profile, panel } = await openAccount(language)
        await panel.getByRole('button', { name: texts.choose.subscribe.replace('{{plan}}', tier.pro.name) }).click()
        await page.getByRole('button', { name: PAY[language], exact: true }).click()
        await page.waitForURL(/payment\/success\?provider=stripe&subscription_id=cs_test_/)
        const id = new URL(page.url()).searchParams.get('subscription_id') ?? ''
        await left(user, 4_560)
        await advance(32)
        await left(user, 9_060)

        await page.goto(profile)
        // Stripe's times are whole seconds: a failure in the second of the last payment is taken for one before it.
        await advance(1)
        double.model.failRenewal(subscriptionOf(double, id), 'action')
        await double.deliver()
        await reloadUntil(page, texts.notice.grace.split('{{')[0]!)
        await expect.poll(() => mails(user)).toContain(mailed.paymentFailed.subject)
        await panel.getByRole('button', { name: texts.method.complete }).click()
        await page.waitForURL(({ port }) => port === PORT)
        await page.getByRole('button').first().click()
        await left(user, 13_560)

        await page.goto(profile)
        await panel.getByRole('button', { name: texts.method.change }).click()
        await page.locator('button[value=change]').click()
        await page.waitForURL(`${profile}#subscription`)

        const cancel = async () => {
          await panel.getByRole('button', { name: texts.cancel.open }).click()
          await page.locator('dialog[open]').getByRole('button', { name: texts.cancel.confirm }).click()
          await panel.getByText(texts.statusOf.cancelled, { exact: true }).waitFor()
        }
        const isEnding = () => double.model.find(subscriptionOf(double, id), 'subscription').cancel_at_period_end
        await cancel()
        await expect.poll(isEnding).toBe(true)
        await page.reload()
        await panel.getByRole('button', { name: texts.reactivate }).click()
        await expect.poll(isEnding).toBe(false)
        await cancel()
        await expect.poll(isEnding).toBe(true)

        double.model.refund(intentOf(double, id))
        await double.deliver()
        await left(user, 60)
        await page.goto(`${profile}/billing`)
        const [billing] = [await words(language, 'billing')]
        await page.locator('#billing').getByText(billing.statusOf.refunded, { exact: true }).first().waitFor()
        await page.context().close()
      },
    )

    it.each(languagesInTurn())('buys a pack in yuan with WeChat Pay (%s)', async (language) => {
      const { user, page, profile, panel } = await openAccount(language)
      const [texts, billing] = [await words(language, 'subscription'), await words(language, 'billing')]
      if (language === 'en') {
        const packs = panel.locator('.plan-choices').filter({ hasText: texts.packs.heading })
        await packs.getByRole('radio', { name: texts.till.stripeCny }).check()
        const pack = packs.locator('[data-pack=small]')
        await pack.getByText(YUAN).waitFor()
        await pack.getByRole('button').click()
      } else {
        await page.goto(`${site.url}/zh/#pricing-section`)
        const pack = page.locator('.pack').first()
        await pack.getByText(YUAN).waitFor()
        await pack.getByRole('link').click()
      }
      await page.locator('input[value=wechat_pay]').check()
      await page.getByRole('button', { name: PAY[language], exact: true }).click()
      await page.waitForURL(/payment\/success\?of=pack&provider=stripe&token=cs_test_/)
      await left(user, 360)
      await page.goto(`${profile}/billing`)
      const row = page.locator('#billing tbody tr')
      await row.getByText(billing.pack).waitFor()
      await row.getByText(YUAN).waitFor()
      await page.context().close()
    })
  },
  {
    PAYMENTS: 'stripe',
    STRIPE_SECRET_KEY: DOUBLE_KEY,
    STRIPE_WEBHOOK_SECRET: DOUBLE_SECRET,
    STRIPE_BASE_URL: `http://127.0.0.1:${PORT}`,
  },
)
