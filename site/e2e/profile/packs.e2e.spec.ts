import { expect, it } from 'vitest'
import { axeFaults } from '../testing/axeFaults.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

const PAY = { en: 'Pay', zh: '支付' }
const CANCEL = { en: 'Cancel', zh: '取消' }

describeOnSite('a pack of credits', (site) => {
  it.each(languagesInTurn())(
    'is bought in the account or on the pricing page, and listed among the payments (%s)',
    async (language) => {
      const [subscription, payment] = [await words(language, 'subscription'), await words(language, 'payment')]
      const billing = await words(language, 'billing')
      const user = await site.newUser()
      await user.call('PUT', '/users/language', { language })
      const page = await site.visit({ language, user, width: language === 'zh' ? 390 : 1280 })
      const prefix = `${site.url}${language === 'zh' ? '/zh' : ''}`
      const buy = async () => {
        await page.goto(`${prefix}/profile#subscription`)
        const pack = page.locator('#subscription [data-pack=medium]')
        await pack.getByText(subscription.packs.bonus.replace('{{bonus}}', '100')).waitFor()
        expect(await axeFaults(page)).toEqual([])
        await pack.getByRole('button', { name: subscription.packs.buy.replace('{{credits}}', '1,000') }).click()
      }

      await buy()
      await page.getByRole('button', { name: CANCEL[language] }).click()
      await page.waitForURL(`${prefix}/#pricing-section`)
      await page.getByRole('link', { name: subscription.packs.buy.replace('{{credits}}', '1,000') }).click()
      await page.getByRole('button', { name: PAY[language], exact: true }).click()
      await page.getByRole('heading', { name: payment.packDoneHeading }).waitFor()
      await page.waitForURL(`${prefix}/workspace`)
      await expect.poll(() => page.locator('[data-user=credits]').textContent()).toBe('1,160')
      await page.goto(`${prefix}/profile/billing`)
      await page.locator('#billing tbody').getByText(billing.pack).waitFor()
      await page.context().close()
    },
  )

  it.each(languagesInTurn())('that was not paid is named on the return (%s)', async (language) => {
    const payment = await words(language, 'payment')
    const user = await site.newUser()
    await user.call('PUT', '/users/language', { language })
    const answer = await user.call('POST', '/credits/packs/small/buy')
    const { data } = (await answer.json()) as { data: { order_id: string } }
    const page = await site.visit({ language, user })
    const prefix = `${site.url}${language === 'zh' ? '/zh' : ''}`
    await page.goto(`${prefix}/payment/success?of=pack&token=${data.order_id}`)
    await page.getByRole('heading', { name: payment.unpaidHeading }).waitFor()
    await page.context().close()
  })
})
