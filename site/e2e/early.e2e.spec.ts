import path from 'node:path'
import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { describeOnSite } from './testing/onSite.ts'

const PICTURE = path.resolve(import.meta.dirname, '../public/icon-512.png')

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
