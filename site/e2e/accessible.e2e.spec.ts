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

/** What axe finds wrong on an address, and whether the page is wider than a narrow phone. */
async function faultsOf(page: Page, address: string, width: number): Promise<string[]> {
  await page.setViewportSize({ width, height: 860 })
  await page.goto(address, { waitUntil: 'networkidle' })
  const { violations } = await new AxeBuilder({ page: page as never }).analyze()
  await page.setViewportSize({ width: 320, height: 640 })
  const scrolls = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
  const named = violations.map(
    ({ id, nodes }) => `${address} at ${width} px: ${id} ${nodes.map(({ html }) => html).join(' ')}`,
  )
  return scrolls ? [...named, `${address}: scrolls sideways at 320 px`] : named
}

describeOnSite('the pages', (site) => {
  it.each(['en', 'zh'] as const)('have no fault that axe finds (%s)', { timeout: 120_000 }, async (language) => {
    const visitor = await site.visit({ language })
    const member = await site.visit({ language, user: await site.newUser() })
    for (const width of WIDTHS) {
      for (const address of OPEN_PAGES) expect(await faultsOf(visitor, site.url + address, width)).toEqual([])
      expect(await faultsOf(member, `${site.url}/workspace`, width)).toEqual([])
    }
    for (const page of [visitor, member]) await page.context().close()
  })
})
