import path from 'node:path'
import type { Page } from 'playwright'
import { beforeAll, expect, it } from 'vitest'
import { makeFilm, PROMPT, shareFilm } from './testing/makeFilm.ts'
import { describeOnSite } from './testing/onSite.ts'

const PICTURE = path.resolve(import.meta.dirname, '../public/icon-512.png')

type Act = (page: Page) => Promise<unknown>

/** Holds the scripts back whose address matches, and returns what releases them. */
async function hold(page: Page, scripts: RegExp): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(scripts, (route) => promise.then(() => route.continue()))
  return resolve
}

describeOnSite('what a visitor does before the scripts have loaded', (site) => {
  it.each([
    [
      'a picture for the first video',
      '/',
      (page: Page) => page.locator('#start input[type=file]').setInputFiles(PICTURE),
    ],
    ['the words of a search', '/docs/start', (page: Page) => page.locator('#docs-search').fill('backup')],
    ['a file to verify', '/verify', (page: Page) => page.locator('#verify-file').setInputFiles(PICTURE)],
  ] as const)('is not lost: %s', async (_, address, act) => {
    const page = await site.visit({ language: 'en' })
    const release = await hold(page, /\/_astro\/.*\.js/)
    await page.goto(site.url + address, { waitUntil: 'domcontentloaded' })
    await act(page)
    release()
    await page.locator('[data-picture-name]:text("icon-512"), .docs-hit, .verify-name').first().waitFor()
    await page.context().close()
  })

  let film = ''
  beforeAll(async () => {
    const owner = await site.newUser()
    film = new URL((await shareFilm(owner, await makeFilm(owner))).url).pathname
  })
  const kept = (page: Page, key: string) =>
    page.evaluate((name) => localStorage.getItem(name) ?? '', `kinora.draft.${key}`)

  it.each<readonly [name: string, address: () => string, act: Act, outcome: Act]>([
    [
      'a prompt',
      () => '/',
      async (page) => {
        await page.locator('#start-prompt').fill('A red fox at dawn')
        await page.locator('#start [type=submit]').click()
      },
      (page) => page.locator('#start-card[open] [data-kept]:text("A red fox")').waitFor(),
    ],
    [
      'a plan',
      () => '/',
      (page) => page.locator('a[data-plan=pro]').click(),
      (page) => expect.poll(() => kept(page, 'start')).toContain('pro'),
    ],
    [
      'a question',
      () => '/faq',
      async (page) => {
        await page.locator('#faq-filter [type=search]').fill('watermark')
        await page.keyboard.press('Enter')
      },
      (page) => page.locator('#faq-list > li[hidden]').first().waitFor({ state: 'attached' }),
    ],
    [
      'a film to remix',
      () => film,
      (page) => page.locator('[data-remix]').click(),
      (page) => expect.poll(() => kept(page, 'visitor')).toContain(PROMPT),
    ],
    [
      'a report',
      () => film,
      async (page) => {
        await page.locator('.report summary').click()
        await page.locator('.report [type=radio]').first().check()
        await page.locator('.report [type=submit]').click()
      },
      (page) => page.locator('[data-report][hidden]').waitFor({ state: 'attached' }),
    ],
  ])('waits for the script that its link or form needs: %s', async (_, address, act, outcome) => {
    const page = await site.visit({ language: 'en' })
    const release = await hold(page, /\/_astro\/.*\.js/)
    await page.goto(site.url + address(), { waitUntil: 'commit' })
    await act(page)
    release()
    await outcome(page)
    await page.context().close()
  })

  it('keeps the chosen language', async () => {
    const page = await site.visit({ language: 'zh' })
    const release = await hold(page, /\/_astro\/.*\.js/)
    await page.goto(`${site.url}/zh/faq`, { waitUntil: 'domcontentloaded' })
    await page.locator('a[data-language=en]:visible').click()
    release()
    await page.waitForURL(`${site.url}/faq`)
    expect(await page.evaluate(() => localStorage.getItem('language'))).toBe('en')
    await page.context().close()
  })

  it('leaves no script out of the page that verifies films without a connection', async () => {
    const page = await site.visit({ language: 'en' })
    const release = await hold(page, /\/Page\.astro.*\.js/)
    await page.goto(`${site.url}/verify`, { waitUntil: 'domcontentloaded' })
    await page.locator('#verify-file').setInputFiles(PICTURE)
    await page.locator('.verify-name').waitFor()
    release()
    await expect.poll(() => page.evaluate(() => Boolean(navigator.serviceWorker.controller))).toBe(true)
    await page.context().setOffline(true)
    const failed: string[] = []
    page.on('requestfailed', (request) => failed.push(request.url()))
    await page.reload()
    await page.locator('html[data-awake]').waitFor()
    expect(failed.filter((url) => url.includes('/_astro/'))).toEqual([])
    await page.context().close()
  })
})
