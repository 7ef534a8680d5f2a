import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { describeOnSite } from './onSite.ts'

const OPEN_PAGES = [
  '/',
  '/faq',
  '/faq/image-to-video',
  '/privacy',
  '/terms',
  '/auth/login',
  '/auth/register',
  '/auth/forgot-password',
  '/reset-password?token=any',
  '/auth/email-verification-pending?email=ada@kinora.test',
  '/verify-email?token=any',
]
const WIDTHS = [390, 1280]

/** Buttons that open a menu, by the window's width and who is there. */
const DRAWER = '[data-open-drawer]'
const CONTACT = '[popovertarget="contact"]'
const ACCOUNT = '[popovertarget="account-menu"]'

/** What axe finds wrong on an address, with all questions and perhaps a menu open, and whether it is wider than a phone. */
async function faultsOf(page: Page, address: string, width: number, menu?: string): Promise<string[]> {
  await page.setViewportSize({ width, height: 860 })
  await page.goto(address)
  await page.waitForFunction(() => !document.querySelector('astro-island[ssr]'))
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true
  })
  if (menu) await page.locator(menu).click()
  if (menu) await page.locator('dialog[open], [popover]:popover-open').waitFor()
  const { violations } = await new AxeBuilder({ page: page as never }).analyze()
  await page.setViewportSize({ width: 320, height: 640 })
  const scrolls = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
  const named = violations.map(
    ({ id, nodes }) => `${address} ${menu ?? ''} at ${width} px: ${id} ${nodes.map(({ html }) => html).join(' ')}`,
  )
  return scrolls ? [...named, `${address}: scrolls sideways at 320 px`] : named
}

describeOnSite('the pages', (site) => {
  it.each(['en', 'zh'] as const)('have no fault that axe finds (%s)', { timeout: 300_000 }, async (language) => {
    const visitor = await site.visit({ language })
    const user = await site.newUser()
    await user.call('PUT', '/users/language', { language })
    const member = await site.visit({ language, user })
    // The language's own addresses: none of them leads elsewhere.
    const home = language === 'zh' ? `${site.url}/zh` : site.url
    for (const width of WIDTHS) {
      for (const address of OPEN_PAGES) expect(await faultsOf(visitor, home + address, width)).toEqual([])
      for (const address of ['/workspace', '/profile'])
        expect(await faultsOf(member, home + address, width)).toEqual([])
      const narrow = width < 768
      for (const menu of narrow ? [DRAWER, CONTACT] : [CONTACT])
        expect(await faultsOf(visitor, `${home}/faq`, width, menu)).toEqual([])
      expect(await faultsOf(member, `${home}/faq`, width, narrow ? DRAWER : ACCOUNT)).toEqual([])
    }
    for (const page of [visitor, member]) await page.context().close()
  })
})
