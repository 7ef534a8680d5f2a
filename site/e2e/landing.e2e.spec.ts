import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { holdClock } from './testing/heldClock.ts'
import { languagesInTurn } from './testing/languagesInTurn.ts'
import { describeOnSite, type OnSite } from './testing/onSite.ts'
import { words } from './testing/walkJourney.ts'
import { weigh } from './testing/weigh.ts'

const KILOBYTE = 1024

/** Collects the page's errors. */
function faultsOf(page: Page): string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (line) => line.type() === 'error' && faults.push(line.text()))
  return faults
}

/** Reports a capable device to the page, because test machines may be slow. */
const asCapable = (page: Page) =>
  page.addInitScript(() => {
    Object.defineProperty(navigator, 'hardwareConcurrency', { get: () => 8 })
    Object.defineProperty(navigator, 'deviceMemory', { get: () => 8 })
  })

const topOf = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => element.getBoundingClientRect().top)

/** Returns a hash of what the camera shows. */
const picture = (page: Page) =>
  page.locator('#camera canvas').evaluate((element) => {
    const { width, height } = element as HTMLCanvasElement
    const context = (element as HTMLCanvasElement).getContext('2d')!
    return [0.2, 0.4, 0.6, 0.8].map((at) => context.getImageData(width * at, height * 0.7, 1, 1).data.join('.')).join()
  })

const isPlaying = (page: Page, selector: string) =>
  page
    .locator(selector)
    .evaluateAll((clips) =>
      clips.map((clip) => clip as HTMLVideoElement).some((clip) => !clip.paused && clip.currentTime > 0),
    )

describeOnSite('the landing page', (site) => {
  it.each(languagesInTurn())('leads visitors to the sign-in from every button (%s)', async (language) => {
    const prefix = language === 'zh' ? '/zh' : ''
    const [{ hero }, plans] = [await words(language, 'landing'), await words(language, 'plans')]
    const page = await site.visit({ language })
    const faults = faultsOf(page)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await holdClock(page)
    await page.goto(`${site.url}${prefix}/?section=pricing`, { waitUntil: 'domcontentloaded' })
    await page.waitForLoadState()
    // The page's scripts load after two animation frames.
    await page.clock.runFor(50)
    await page.locator('html[data-awake]').waitFor()
    await page.clock.runFor(490)
    expect(await page.evaluate(() => scrollY)).toBe(0)
    await page.clock.runFor(10)
    await expect.poll(() => topOf(page, '#pricing-section')).toBeLessThan(200)
    const struck = await page.locator('#plans s').allInnerTexts()
    const prices = await page.locator('#plans .price strong').allInnerTexts()
    expect(prices).toEqual(language === 'zh' ? ['¥0', '¥89', '¥309', '¥899'] : ['$0', '$12.99', '$44.99', '$129.99'])
    expect(struck.map((text) => text.match(/\$.*/)?.[0])).toEqual(
      language === 'zh' ? [] : ['$14.99', '$54.99', '$149.99'],
    )
    const buttons = page.locator('#plans .plan > a')
    await expect.poll(() => buttons.first().getAttribute('href')).toBe(`${prefix}/auth/register`)
    await expect
      .poll(() => page.getByRole('link', { name: hero.start }).first().getAttribute('href'))
      .toBe(`${prefix}/auth/login`)
    for (const link of ['[data-pack=small]', '[data-plan=standard]', '[data-plan=pro]', '[data-plan=ultimate]']) {
      await page.locator(link).click()
      await page.getByText(plans.loginFirst).waitFor()
    }
    const opened: string[] = []
    page.on('request', (request) => request.isNavigationRequest() && opened.push(request.url()))
    await page.clock.runFor(2000)
    await page.waitForURL(`${site.url}${prefix}/auth/login?next=%2Fprofile%3Fplan%3D1%23subscription`)
    expect(opened).toHaveLength(1)
    expect(faults).toEqual([])
    await page.context().close()
  })

  it('shows the dollars that are charged beside the yuan, above buttons on one line', async () => {
    const { choose } = await words('zh', 'subscription')
    const page = await site.visit({ language: 'zh', width: 1280 })
    await page.goto(`${site.url}/zh/`)
    const charges = ['US$12.99', 'US$44.99', 'US$129.99'].map((price) => choose.charged.replace('{{price}}', price))
    await expect.poll(() => page.locator('#plans .price small').allInnerTexts()).toEqual(charges)
    const tops = page.locator('#plans .plan > a').evaluateAll((all) => all.map((a) => a.getBoundingClientRect().top))
    expect(new Set((await tops).map(Math.round)).size).toBe(1)
    await page.context().close()
  })

  it('leads members to the workspace and to the payment provider', async () => {
    const page = await memberOn(site)
    await expect.poll(() => page.locator('.hero a:visible').first().getAttribute('href')).toBe('/workspace')
    await page.locator('a[data-plan=pro]').click()
    await page.waitForURL(/\/dev\/paypal\/approve\//)
    await page.context().close()
  })

  it('plays the visible clip if motion is allowed, until it is paused', async () => {
    const page = await site.visit({ language: 'en' })
    await asCapable(page)
    await page.goto(site.url)
    await expect.poll(() => isPlaying(page, '#hero-clip')).toBe(true)
    await page.locator('#pricing-section').scrollIntoViewIfNeeded()
    await expect.poll(() => isPlaying(page, '#hero-clip')).toBe(false)
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }))
    await expect.poll(() => isPlaying(page, '#hero-clip')).toBe(true)
    await page.getByRole('button', { name: 'Pause the video' }).click()
    await expect.poll(() => isPlaying(page, '#hero-clip')).toBe(false)
    await page.getByRole('button', { name: 'Play the video' }).waitFor()
    await page.context().close()
  })

  it.each(languagesInTurn())('moves the picture on hover, focus or drag, and takes it along (%s)', async (language) => {
    const page = await site.visit({ language })
    const faults = faultsOf(page)
    await asCapable(page)
    await page.goto(site.url)
    const tiles = page.locator('#movements button')
    await page.locator('#camera').scrollIntoViewIfNeeded()
    await page.locator('#camera canvas[data-ready]').waitFor({ state: 'attached' })
    await expect
      .poll(() => tiles.locator('strong').allInnerTexts())
      .toEqual(Object.values((await words(language, 'movements')).name))
    const rest = await picture(page)
    await tiles.nth(2).hover()
    await expect.poll(() => picture(page)).not.toBe(rest)
    await page.mouse.move(0, 0)
    await expect.poll(() => picture(page)).toBe(rest)
    await tiles.nth(6).focus()
    await page.keyboard.press('Tab')
    await expect.poll(() => picture(page)).not.toBe(rest)
    await page.keyboard.press('Enter')
    await expect.poll(() => tiles.nth(7).getAttribute('aria-pressed')).toBe('true')
    const stick = (await page.locator('[data-stick=turn]').boundingBox())!
    await page.mouse.move(stick.x + stick.width / 2, stick.y + stick.height / 2)
    await page.mouse.down()
    await page.mouse.move(stick.x + stick.width * 0.75, stick.y + stick.height * 0.25, { steps: 4 })
    await page.mouse.up()
    await page.locator('[data-use-camera]').click()
    const { name } = await words(language, 'movements')
    const chosen = await page.locator('[data-chips] .start-chip').allInnerTexts()
    expect(chosen.toSorted()).toEqual([name.pedestalDown, name.panRight, name.tiltUp].toSorted())
    expect(faults).toEqual([])
    await page.context().close()
  })

  it('requests nothing else before its first picture is shown', async () => {
    const page = await site.visit({ language: 'en', width: 390 })
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const others = () => asked.filter((url) => /_astro\/(?!poster-)/.test(url))
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/poster-*', (route) => released.then(() => route.continue()))
    await page.goto(site.url, { waitUntil: 'domcontentloaded' })
    await expect.poll(() => asked.some((url) => url.includes('poster-'))).toBe(true)
    for (let frame = 0; frame < 3; frame++)
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
    expect(others()).toEqual([])
    release()
    await expect.poll(() => others().filter((url) => /\.js|avif/.test(url)).length).toBeGreaterThan(4)
    await page.context().close()
  })

  it('takes a movement that is chosen before its script has loaded', async () => {
    const page = await site.visit({ language: 'en' })
    await asCapable(page)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route(/\/rig\..*js/, (route) => released.then(() => route.continue()))
    await page.goto(site.url)
    const tile = page.locator('#movements button').nth(4)
    const asked = page.waitForRequest(/\/rig\..*js/)
    await tile.click()
    await asked
    release()
    await expect.poll(() => tile.getAttribute('aria-pressed')).toBe('true')
    await page.context().close()
  })

  it('respects reduced motion, and stays within its size budget', async () => {
    const page = await site.visit({ language: 'en' })
    await asCapable(page)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const { all, script, clips } = await weigh(page, site.url)
    expect(clips).toBe(0)
    expect(script).toBeLessThan(5.1 * KILOBYTE)
    expect(all).toBeLessThan(250 * KILOBYTE)
    console.log(
      `The landing page weighs ${Math.round(all / KILOBYTE)} kB, ${(script / KILOBYTE).toFixed(1)} of them script.`,
    )
    const tile = page.locator('#movements button').nth(4)
    const canvas = page.locator('#camera canvas[data-ready]')
    await tile.hover()
    await tile.focus()
    await page.keyboard.press('Shift')
    await page.locator('#camera[data-started]').waitFor()
    await expect.poll(() => canvas.count()).toBe(0)
    await page.keyboard.press('Enter')
    await canvas.waitFor({ state: 'attached' })
    await expect.poll(() => picture(page)).not.toMatch(/^0\.0\.0\.0/)
    await page.context().close()
  })
})

/** Opens the landing page as a member whose name is already stored in the browser. */
async function memberOn(site: OnSite): Promise<Page> {
  const page = await site.visit({ language: 'en', user: await site.newUser() })
  await page.goto(`${site.url}/workspace`)
  await page.waitForFunction(() => localStorage.getItem('kinora.user'))
  await page.goto(site.url)
  return page
}
