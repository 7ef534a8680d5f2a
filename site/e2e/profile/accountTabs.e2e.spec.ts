import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from '../testing/axeFaults.ts'
import { type Language, languagesInTurn } from '../testing/languagesInTurn.ts'
import { observeShifts, shiftFaults } from '../testing/layoutShift.ts'
import { entryOf, openMoneyDouble } from '../testing/moneyDouble.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

/** The sections of each tab, by path. */
const TABS = {
  '/profile': ['personal-info', 'stats', 'subscription', 'works', 'billing', 'settings'],
  '/profile/billing': ['subscription', 'billing'],
  '/profile/credits': ['credits'],
  '/profile/teams': ['teams'],
  '/profile/security': ['security', 'two-step', 'password', 'devices'],
  '/profile/developers': ['developers'],
  '/profile/settings': ['settings', 'notices', 'language', 'delete-account'],
}
const WIDTHS = [320, 390, 768, 1280, 1920]

const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

describeOnSite('the account', (site) => {
  const open = async (language: Language) => {
    const page = await site.visit({ language })
    await observeShifts(page)
    const state = await openMoneyDouble(page, site.url, language)
    state.entries = Array.from({ length: 30 }, (_, n) => entryOf(`e${n}`))
    const { tabs } = await words(language, 'profile')
    return {
      page,
      home: `${site.url}${language === 'zh' ? '/zh' : ''}`,
      nav: page.getByRole('navigation', { name: tabs.label }),
    }
  }

  it.each(languagesInTurn())('has a page for each tab, at every width (%s)', async (language) => {
    const { page, home, nav } = await open(language)
    await page.goto(`${home}/profile`)
    for (const [path, sections] of Object.entries(TABS)) {
      const address = home + path
      for (const [index, width] of sampled([390, 1280]).entries()) {
        await page.setViewportSize({ width, height: 860 })
        if (index > 0) await page.reload()
        else await nav.locator(`a[href="${new URL(address).pathname}"]`).click()
        await page.waitForURL(address)
        expect(await nav.locator('[aria-current=page]').evaluate((link: HTMLAnchorElement) => link.href)).toBe(address)
        for (const id of sections) await page.locator(`#${id}`).waitFor()
        await page.waitForLoadState('networkidle')
        expect([path, width, await shiftFaults(page), await axeFaults(page)]).toEqual([path, width, [], []])
      }
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 860 })
        expect([path, width, await overflow(page)]).toEqual([path, width, 0])
        const shots = process.env.KINORA_SHOTS
        const name = path.slice(1).replace('/', '-')
        if (shots) await page.screenshot({ path: `${shots}/${name}-${language}-${width}.png`, fullPage: true })
      }
    }
    await expect.poll(() => page.locator('#billing, #credits, #works').count()).toBe(0)
    await page.context().close()
  })

  it.each(languagesInTurn())('keeps the addresses of its sections (%s)', async (language) => {
    const { page, home } = await open(language)
    const isSeen = (id: string) =>
      page.locator(`#${id}`).evaluate((section) => section.getBoundingClientRect().top < window.innerHeight)
    for (const [before, after, id] of [
      ['/profile#subscription', '/profile#subscription', 'subscription'],
      ['/subscription', '/profile#subscription', 'subscription'],
      ['/profile#credits', '/profile/credits#credits', 'credits'],
      ['/profile#devices', '/profile/security#devices', 'devices'],
    ] as const) {
      await page.goto('about:blank')
      await page.goto(home + before)
      await page.waitForURL(home + after)
      await expect.poll(() => isSeen(id)).toBe(true)
    }
    const { delete: deletion } = await words(language, 'profile')
    await page.goto(`${home}/profile?token=mailed`)
    await page.getByRole('dialog', { name: deletion.title }).waitFor()
    expect(page.url()).toBe(`${home}/profile/settings?token=mailed`)
    await page.context().close()
  })
})
