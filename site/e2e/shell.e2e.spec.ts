import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { holdClock } from './testing/heldClock.ts'
import { languagesInTurn } from './testing/languagesInTurn.ts'
import { describeOnSite } from './testing/onSite.ts'
import { words } from './testing/walkJourney.ts'

/** Simulates a network and a device; `setNetwork` changes the network later. */
async function pretend(page: Page, device: { network?: string; memory?: number; cores?: number }): Promise<void> {
  await page.addInitScript(({ network = '4g', memory = 8, cores = 8 }) => {
    const connection = Object.assign(new EventTarget(), { effectiveType: network })
    const put = (name: string, value: unknown) => Object.defineProperty(navigator, name, { get: () => value })
    put('connection', connection)
    put('deviceMemory', memory)
    put('hardwareConcurrency', cores)
  }, device)
}
const setNetwork = (page: Page, type: string) =>
  page.evaluate((effectiveType) => {
    const { connection } = navigator as Navigator & { connection: EventTarget }
    Object.assign(connection, { effectiveType }).dispatchEvent(new Event('change'))
  }, type)

/** Returns a function that returns what the pages of a tab have sent so far. A beacon outlives its page, so it is recorded where it is sent. */
async function watchBeacons(page: Page) {
  await page.addInitScript(() => {
    const send = navigator.sendBeacon.bind(navigator)
    navigator.sendBeacon = (url, data) => {
      sessionStorage.sent = JSON.stringify([
        ...JSON.parse(sessionStorage.sent ?? '[]'),
        { url, ...JSON.parse(String(data)) },
      ])
      return send(url, data)
    }
  })
  return (): Promise<Record<string, unknown>[]> => page.evaluate(() => JSON.parse(sessionStorage.sent ?? '[]'))
}

describeOnSite('the shell of every page', (site) => {
  it.each(languagesInTurn())('reports network changes on a phone (%s)', async (language) => {
    const { network, action } = await words(language, 'common')
    const page = await site.visit({ language, width: 390 })
    await pretend(page, {})
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/faq`)
    await holdClock(page)
    const banner = page.locator('.network-line')
    const says = async (text: string, tone: string) => {
      await banner.getByText(text, { exact: true }).waitFor()
      await expect.poll(() => banner.getAttribute('data-tone')).toBe(tone)
    }
    await expect.poll(() => banner.count()).toBe(0)

    await page.context().setOffline(true)
    await says(network.offline, 'danger')
    expect(await page.locator('#network').evaluate((box) => box.getBoundingClientRect().top)).toBe(56)
    await expect.poll(() => banner.getByRole('button').count()).toBe(0)
    await page.clock.runFor(60_000)
    await says(network.offline, 'danger')

    await page.context().setOffline(false)
    await says(network['4g'], 'success')
    await page.clock.runFor(2_900)
    await says(network['4g'], 'success')
    await page.clock.runFor(200)
    await banner.waitFor({ state: 'detached' })

    for (const [kind, text, tone] of [
      ['slow-2g', '2g', 'warning'],
      ['3g', '3g', 'success'],
      ['', 'connected', 'success'],
    ] as const) {
      await page.context().setOffline(true)
      await setNetwork(page, kind)
      await page.context().setOffline(false)
      await says(network[text], tone)
      await banner.getByRole('button', { name: action.close }).click()
      await expect.poll(() => banner.count()).toBe(0)
    }
    await setNetwork(page, '2g')
    await says(network['2g'], 'warning')
    await page.setViewportSize({ width: 1280, height: 860 })
    await expect.poll(() => banner.isVisible()).toBe(false)
    await page.context().close()
  })

  it.each(
    sampled(
      [
        [{ network: '4g' }, undefined],
        [{ network: '2g' }, 'calm'],
        [{ network: 'slow-2g' }, 'calm'],
        [{ network: '3g' }, undefined],
        [{ memory: 2 }, 'calm'],
        [{ memory: 4 }, undefined],
        [{ cores: 2 }, 'calm'],
        [{ cores: 4 }, undefined],
      ],
      4,
    ),
  )('reduces motion on slow networks and small devices: %o', async (device, motion) => {
    const page = await site.visit({ language: 'en' })
    await pretend(page, device)
    await page.goto(`${site.url}/faq`, { waitUntil: 'commit' })
    await page.locator('.chip').first().waitFor()
    expect(await page.evaluate(() => document.documentElement.dataset.motion)).toBe(motion)
    const transition = await page
      .locator('.chip')
      .first()
      .evaluate((chip) => getComputedStyle(chip).transitionDuration)
    expect(transition).toBe(motion ? '0s' : '0.12s, 0.12s')
    await page.context().close()
  })

  it('reduces motion in an old Android browser', async () => {
    const userAgent = 'Mozilla/5.0 (Linux; Android 5.1; Nexus 5) AppleWebKit/537.36 Chrome/95.0 Mobile Safari/537.36'
    const context = await site.browser.newContext({ userAgent })
    const page = await context.newPage()
    await pretend(page, {})
    await page.goto(`${site.url}/faq`)
    expect(await page.evaluate(() => document.documentElement.dataset.motion)).toBe('calm')
    await context.close()
  })

  it.each(languagesInTurn())('offers three ways to continue when rendering fails (%s)', async (language) => {
    const { crash, action } = await words(language, 'common')
    const user = await site.newUser()
    await user.call('PUT', '/users/language', { language })
    const page = await site.visit({ language, user })
    const logged: string[] = []
    page.on('console', (line) => void (line.type() === 'error' && logged.push(line.text())))
    // Send an invalid row that breaks the list.
    const broken = { id: 'broken', status: 'Success', created_at: new Date().toISOString(), prompt: null }
    await page.route('**/api/v1/videos/tasks?*', (route) => route.fulfill({ json: { tasks: [broken], total: 1 } }))
    const start = `${site.url}${language === 'zh' ? '/zh' : ''}/workspace`
    await page.goto(start)
    const panel = page.getByRole('alert').filter({ hasText: crash.title })
    await panel.waitFor()
    expect([await panel.getByText(crash.more).isVisible(), await panel.getByText(crash.text).isVisible()]).toEqual([
      true,
      false,
    ])
    await page.setViewportSize({ width: 390, height: 860 })
    expect([await panel.getByText(crash.more).isVisible(), await panel.getByText(crash.text).isVisible()]).toEqual([
      false,
      true,
    ])
    await expect.poll(() => panel.textContent()).not.toMatch(/TypeError|null|undefined/)
    expect(logged.join('\n')).toMatch(/TypeError/)

    const reloaded = page.waitForEvent('load')
    await panel.getByRole('button', { name: action.reload }).click()
    await reloaded
    await panel.waitFor()
    await expect
      .poll(() => panel.getByRole('link', { name: action.home }).getAttribute('href'))
      .toBe(language === 'zh' ? '/zh' : '/')
    await page.unroute('**/api/v1/videos/tasks?*')
    await page.context().close()
  })

  it('records a visit when a page is shown and when it is left', async () => {
    const page = await site.visit({ language: 'en' })
    const beacons = await watchBeacons(page)
    const answered = page.waitForResponse('**/api/v1/analytics/page-view')
    await page.goto(`${site.url}/faq?a=secret#plans`)
    expect((await answered).status()).toBe(202)
    await page.goto(`${site.url}/privacy`)
    await expect.poll(async () => (await beacons()).length).toBe(3)
    const sent = await beacons()
    expect(sent.map(({ path, event_type }) => [path, event_type])).toEqual(
      expect.arrayContaining([
        ['/faq', 'page_view'],
        ['/faq', 'page_unload'],
        ['/privacy', 'page_view'],
      ]),
    )
    expect(new Set(sent.map(({ session_id }) => session_id)).size).toBe(1)
    expect(sent[0]).toEqual({
      path: '/faq',
      referrer: '',
      user_agent: expect.stringContaining('Chrome'),
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      session_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      event_type: 'page_view',
      status_code: 200,
      url: '/api/v1/analytics/page-view',
    })
    expect(await page.context().cookies()).toEqual([])
    await page.context().close()
  })

  it('records the visit of a visitor who leaves before the page has loaded', async () => {
    const page = await site.visit({ language: 'en' })
    const beacons = await watchBeacons(page)
    // The load event waits for the font.
    await page.route('**/_astro/**', () => {})
    await page.goto(`${site.url}/faq`, { waitUntil: 'commit' })
    await page.locator('main').waitFor()
    await page.goto(`${site.url}/robots.txt`)
    expect((await beacons()).map(({ path, event_type }) => [path, event_type])).toEqual([
      ['/faq', 'page_view'],
      ['/faq', 'page_unload'],
    ])
    await page.context().close()
  })
})
