import type { Page, Request } from 'playwright'
import { expect, it } from 'vitest'
import { FULL } from '#backend/testing/fullRun.ts'
import { holdClock, pass } from './testing/heldClock.ts'
import { languagesInTurn } from './testing/languagesInTurn.ts'
import { describeOnSite } from './testing/onSite.ts'
import { words } from './testing/walkJourney.ts'

const HOUR = 3_600_000
const TABS = FULL ? 20 : 4

/** Collects a page's API calls, such as `POST /auth/refresh`. */
function callsOf(page: Page): string[] {
  const calls: string[] = []
  page.on('request', (request: Request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/v1/')) calls.push(`${request.method()} ${pathname.slice('/api/v1'.length)}`)
  })
  return calls
}
const count = (calls: readonly string[], call: string) => calls.filter((each) => each === call).length

describeOnSite('the session in the browser', (site) => {
  const visit = async (language: 'en' | 'zh') => {
    const user = await site.newUser()
    const { common, profile } = { common: await words(language, 'common'), profile: await words(language, 'profile') }
    // Store the language, or the account's language would redirect the page.
    await user.call('PUT', '/users/language', { language })
    const page = await site.visit({ language, user })
    const at = (path: string) => `${site.url}${language === 'zh' ? '/zh' : ''}${path}`
    const toast = (text: string) => page.locator('.toast', { hasText: text })
    return { user, page, common, profile, at, toast, calls: callsOf(page) }
  }
  const loaded = (page: Page) => page.locator('#works .empty').waitFor()
  /** Removes the access cookie, as its expiry after eight hours would. */
  const expire = (page: Page) => page.context().clearCookies({ name: 'kinora_access' })

  it.each(languagesInTurn())(
    'renews the session once for concurrent calls, which are then retried (%s)',
    async (language) => {
      const { page, profile, at, toast, calls } = await visit(language)
      await page.goto(at('/profile'))
      await loaded(page)
      await expire(page)
      calls.length = 0
      await page.evaluate(() => {
        const [name, others] = ['#personal-info form button[type=submit]', '#language input:checked']
        document.querySelector<HTMLElement>(name)?.click()
        document.querySelector<HTMLElement>(others)?.click()
      })
      await toast(profile.saved).waitFor()
      expect(count(calls, 'POST /auth/refresh')).toBe(1)
      expect(count(calls, 'PUT /users/name')).toBe(2)
      // A new page loads the user, refreshes the session, and loads the user again.
      await expire(page)
      calls.length = 0
      await page.reload()
      await loaded(page)
      expect(calls.filter((call) => call.includes('/auth/'))).toEqual([
        'GET /auth/me',
        'POST /auth/refresh',
        'GET /auth/me',
      ])
      await page.context().close()
    },
  )

  it.each(languagesInTurn())(
    'signs out when the session is lost, shows a message, and leaves after half a second (%s)',
    async (language) => {
      const { page, common, at, toast, calls } = await visit(language)
      await page.goto(at('/profile'))
      await loaded(page)
      await holdClock(page)
      await page.context().clearCookies()
      calls.length = 0
      await page.locator('#personal-info form button[type=submit]').click()
      await toast(common.session.ended).waitFor()
      expect(calls.slice(0, 3)).toEqual(['PUT /users/name', 'POST /auth/refresh', 'POST /auth/logout'])
      await page.clock.runFor(490)
      expect(page.url()).toBe(at('/profile'))
      await page.clock.runFor(10)
      await page.waitForURL(`${at('/auth/login')}?next=${encodeURIComponent(new URL(at('/profile')).pathname)}`)
      await page.context().close()
    },
  )

  it('explains once on the login page that the session ended while the browser was closed', async () => {
    const { page, at } = await visit('en')
    const { login } = await words('en', 'auth')
    await page.goto(at('/profile'))
    await loaded(page)
    await page.context().clearCookies()
    await page.goto(at('/workspace'))
    await page.waitForURL(`${at('/auth/login')}?next=%2Fworkspace`)
    await page.getByText(login.ended).waitFor()
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expect.poll(() => page.getByText(login.ended).count()).toBe(0)
    await page.context().close()
  })

  it.each(languagesInTurn())(
    'signs out in the browser after a second if the server cannot end the session (%s)',
    async (language) => {
      const { page, common, at, toast } = await visit(language)
      await page.goto(at('/profile'))
      await loaded(page)
      await page.route('**/api/v1/auth/logout', (route) => route.abort())
      await holdClock(page)
      await page.evaluate(() => document.querySelector<HTMLElement>('[data-logout]')?.click())
      await toast(common.session.logoutFailed).waitFor()
      expect(await page.evaluate(() => localStorage.getItem('kinora.user'))).toBeNull()
      await page.clock.runFor(990)
      expect(page.url()).toBe(at('/profile'))
      await page.clock.runFor(10)
      await page.waitForURL(at('/auth/login'))
      await page.context().close()
    },
  )

  it('reloads a user’s pages when another user signs in in another tab', async () => {
    const { user, page, at } = await visit('en')
    const other = await site.newUser()
    const inHeader = (email: string) =>
      expect.poll(() => page.locator('#account-menu [data-user="email"]').textContent()).toBe(`${email.slice(0, 15)}…`)
    await page.goto(at('/profile'))
    await loaded(page)
    await inHeader(user.email)
    const tab = await page.context().newPage()
    await tab.request.post(`${site.url}/api/v1/auth/login`, {
      data: { email: other.email, password: 'correct horse' },
    })
    await tab.goto(at('/terms'))
    await inHeader(other.email)
    await expect.poll(() => page.locator('#personal-info').textContent()).toContain(other.email)
    await page.context().close()
  })

  it('leaves no page of a user open who signs out in another tab', async () => {
    const { page, at } = await visit('en')
    await page.goto(at('/profile'))
    await loaded(page)
    const tab = await page.context().newPage()
    await tab.goto(at('/profile'))
    await loaded(tab)
    await tab.evaluate(() => document.querySelector<HTMLElement>('[data-logout]')?.click())
    await page.waitForURL(`${at('/auth/login')}?next=%2Fprofile`)
    await page.context().close()
  })

  it('does not renew the session for background calls', async () => {
    const { page, at, calls } = await visit('en')
    const silent = ['/videos/tasks', '/videos/queue', '/videos/models', '/subscriptions/stats']
    for (const path of silent)
      await page.route(`**/api/v1${path}*`, (route) =>
        route.fulfill({ status: 401, json: { code: 'unauthenticated' } }),
      )
    await page.goto(at('/workspace'))
    const { queue } = await words('en', 'workspace')
    await page.getByText(queue.pageFailed).waitFor()
    for (const path of silent) expect(calls.join()).toContain(`GET ${path}`)
    expect(count(calls, 'POST /auth/refresh')).toBe(0)
    expect(page.url()).toBe(at('/workspace'))
    await page.context().close()
  })

  it('renews the session every seven hours', async () => {
    const { page, at, calls } = await visit('en')
    await holdClock(page)
    await page.goto(at('/profile'))
    await loaded(page)
    await page.clock.fastForward(7 * HOUR - 120_000)
    await pass(page, 60_000)
    expect(count(calls, 'POST /auth/refresh')).toBe(0)
    await pass(page, 120_000)
    await expect.poll(() => count(calls, 'POST /auth/refresh')).toBe(1)
    await page.context().close()
  })

  it(`keeps the session that ${TABS} tabs renew at the same time`, async () => {
    const { page, at } = await visit('en')
    const context = page.context()
    const tabs = await Promise.all(Array.from({ length: TABS }, () => context.newPage()))
    await Promise.all(tabs.map((tab) => tab.goto(at('/terms'), { waitUntil: 'commit' })))
    await context.clearCookies({ name: 'kinora_access' })
    const refreshed = await Promise.all(
      tabs.map((tab) => tab.evaluate(async () => (await fetch('/api/v1/auth/refresh', { method: 'POST' })).status)),
    )
    expect(refreshed).toEqual(Array(TABS).fill(200))
    const signedIn = () =>
      Promise.all(tabs.map((tab) => tab.evaluate(async () => (await fetch('/api/v1/auth/me')).status)))
    expect(await signedIn()).toEqual(Array(TABS).fill(200))
    await context.close()
  })
})
