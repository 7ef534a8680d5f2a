import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { openLibraryDouble } from '../testing/libraryDouble.ts'
import { describeOnSite } from '../testing/onSite.ts'
import { words } from '../testing/walkJourney.ts'

/** Does what the browser does to a page of its back/forward cache, which Playwright turns off. */
const restore = (page: Page) =>
  page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
const isAwake = (page: Page) => page.waitForFunction(() => document.documentElement.dataset.awake !== undefined)

describeOnSite('a page that is restored from the back/forward cache', (site) => {
  it.each(sampled(['/faq', '/auth/login']))('shows the member who has signed in since then (%s)', async (path) => {
    const { email } = await site.newUser()
    const page = await site.visit({ language: 'en' })
    await page.goto(`${site.url}${path}`)
    await isAwake(page)
    await restore(page)
    expect(await page.evaluate(() => document.documentElement.style.visibility)).toBe('')
    await page.request.post(`${site.url}/api/v1/auth/login`, { data: { email, password: 'correct horse' } })
    await restore(page)
    await expect.poll(() => page.locator('.avatar').isVisible()).toBe(true)
    await page.context().close()
  })

  it('lacks the videos that were deleted since then', async () => {
    const page = await site.visit({ language: 'en' })
    const state = await openLibraryDouble(page, { url: site.url, language: 'en', count: 5 })
    await page.goto(`${site.url}/library`)
    const tiles = page.locator('.library-tile')
    await expect.poll(() => tiles.count()).toBe(5)
    state.server.tasks = state.server.tasks.slice(1)
    await restore(page)
    await expect.poll(() => tiles.count()).toBe(4)
    await page.context().close()
  })

  it('keeps its videos if they cannot be read again, and offers to try again', async () => {
    const [{ stale }, { action }] = [await words('en', 'library'), await words('en', 'common')]
    const page = await site.visit({ language: 'en' })
    const state = await openLibraryDouble(page, { url: site.url, language: 'en', count: 70 })
    await page.goto(`${site.url}/library`)
    const tiles = page.locator('.library-tile')
    await expect.poll(() => tiles.count()).toBeGreaterThan(5)
    await page.route('**/videos/my-works*', (route) => route.abort(), { times: 1 })
    await restore(page)
    await page.getByRole('status').getByText(stale).waitFor()
    await expect.poll(() => tiles.count()).toBeGreaterThan(5)
    await expect
      .poll(() => page.getByText(stale).evaluate((text) => text.getBoundingClientRect().bottom))
      .toBeLessThan(860)
    state.server.tasks = state.server.tasks.slice(1)
    await page.getByRole('button', { name: action.retry }).click()
    await page.getByText(stale).waitFor({ state: 'detached' })
    await expect.poll(() => tiles.first().getAttribute('data-task')).toBe('f1')
    await page.context().close()
  })

  it('has the newest credit history', async () => {
    const page = await site.visit({ language: 'en', user: await site.newUser() })
    let answers = 0
    page.on('response', (response) => {
      if (new URL(response.url()).pathname.endsWith('/credits/history')) answers += 1
    })
    await page.goto(`${site.url}/profile/credits`)
    await expect.poll(() => answers).toBe(1)
    await restore(page)
    await expect.poll(() => answers).toBe(2)
    await page.context().close()
  })
})
