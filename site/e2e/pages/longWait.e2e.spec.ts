import { expect, it } from 'vitest'
import { holdClock } from '../testing/heldClock.ts'
import { languagesInTurn } from '../testing/languagesInTurn.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

describeOnSite('a page that cannot learn who is signed in', (site) => {
  it.each(languagesInTurn())(
    'says that the server does not answer, asks again on request, and shows no balance until then (%s)',
    async (language) => {
      const user = await site.newUser()
      await user.call('PUT', '/users/language', { language })
      const { wait, unknown } = await words(language, 'common')
      const page = await site.visit({ language, user })
      await holdClock(page)
      let isDown = true
      await page.route('**/api/v1/auth/me', (route) => (isDown ? route.fulfill({ status: 500 }) : route.fallback()))
      await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/workspace`)
      const balance = page.locator('[data-user="credits"]')
      await expect.poll(() => balance.textContent()).toContain(unknown)
      const now = page.getByRole('button', { name: wait.now })
      await expect.poll(async () => (await page.clock.runFor(1000)) ?? now.count()).toBe(1)
      await expect.poll(() => page.getByRole('status').allTextContents()).toContain(wait.unreachable)
      await expect.poll(() => balance.textContent()).not.toContain('0')
      isDown = false
      await now.focus()
      await page.keyboard.press('Enter')
      await page.locator('#prompt').waitFor()
      await expect.poll(() => balance.textContent()).toBe('60')
      await page.context().close()
    },
  )
})
