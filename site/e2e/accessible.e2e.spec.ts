import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from './testing/axeFaults.ts'
import { languagesInTurn } from './testing/languagesInTurn.ts'
import { observeShifts, shiftFaults } from './testing/layoutShift.ts'
import { describeOnSite } from './testing/onSite.ts'
import { slowPage } from './testing/slowPage.ts'

const OPEN_PAGES = [
  '/',
  '/faq',
  '/faq/image-to-video',
  '/privacy',
  '/terms',
  '/docs/start',
  '/docs/reference/operations',
  '/auth/login',
  '/auth/register',
  '/auth/forgot-password',
  '/reset-password?token=any',
  '/auth/email-verification-pending?email=ada@kinora.test',
  '/verify-email?token=any',
]
const PHONE = 390
const DESK = 1280

/** Buttons that open a menu, by width and session. */
const DRAWER = '[data-open-drawer]'
const CONTACT = '[popovertarget="contact"]'
const ACCOUNT = '.avatar[popovertarget="account-menu"]'

/** Returns the layout shifts of a page that has received its data. */
async function settledShifts(page: Page, name: string): Promise<string[]> {
  if ((await page.locator('astro-island').count()) > 0) await page.waitForLoadState('networkidle')
  return (await shiftFaults(page)).map((fault) => `${name}: ${fault}`)
}

/** Returns layout shifts and axe violations of a page at each width, with all questions and a menu open, and horizontal overflow on a phone. */
async function faultsOf(page: Page, address: string, widths: readonly number[], menu?: string): Promise<string[]> {
  const faults: string[] = []
  await page.setViewportSize({ width: widths[0]!, height: 860 })
  await page.goto(address)
  await page.waitForFunction(() => !document.querySelector('astro-island[ssr]'))
  if (!menu) faults.push(...(await settledShifts(page, `${address} at ${widths[0]} px`)))
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true
  })
  if (menu) await page.locator(menu).click()
  if (menu) await page.locator('dialog[open], .popover:popover-open').waitFor()
  for (const width of widths) {
    await page.setViewportSize({ width, height: 860 })
    const found = await axeFaults(page)
    faults.push(...found.map((fault) => `${address} ${menu ?? ''} at ${width} px: ${fault}`))
  }
  await page.setViewportSize({ width: 320, height: 640 })
  const scrolls = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
  return scrolls ? [...faults, `${address}: scrolls sideways at 320 px`] : faults
}

describeOnSite('the pages', (site) => {
  it.each(languagesInTurn())('have no axe violation (%s)', async (language) => {
    const widths = sampled([PHONE, DESK])
    const visitor = await site.visit({ language })
    const user = await site.newUser()
    await user.call('PUT', '/users/language', { language })
    const member = await site.visit({ language, user })
    for (const page of [visitor, member]) await observeShifts(page)
    // Use the language's own addresses, which do not redirect.
    const home = language === 'zh' ? `${site.url}/zh` : site.url
    for (const address of sampled(OPEN_PAGES, OPEN_PAGES.length / 2))
      expect(await faultsOf(visitor, home + address, widths)).toEqual([])
    for (const address of ['/workspace', '/library', '/profile'])
      expect(await faultsOf(member, home + address, widths)).toEqual([])
    const menus = [
      [visitor, PHONE, DRAWER],
      [visitor, PHONE, CONTACT],
      [visitor, DESK, CONTACT],
      [member, PHONE, DRAWER],
      [member, DESK, ACCOUNT],
    ] as const
    for (const [page, width, menu] of sampled(menus, 2))
      expect(await faultsOf(page, `${home}/faq`, [width], menu)).toEqual([])
    for (const page of [visitor, member]) await page.context().close()
  })

  it('move nothing that is shown while the rest of a page arrives', async () => {
    await using slow = await slowPage(site.url, /<(?:h1|form|section|astro-island)\b/)
    const page = await site.visit({ language: 'en' })
    await observeShifts(page)
    const accounts = ['/auth/login', '/auth/register', '/reset-password?token=any', '/verify-email?token=any']
    for (const address of ['/', ...accounts]) {
      await page.goto(slow.url + address)
      expect(await settledShifts(page, address)).toEqual([])
    }
    await page.context().close()
  })
})
