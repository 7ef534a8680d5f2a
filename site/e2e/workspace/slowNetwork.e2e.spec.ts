import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { FULL } from '#backend/testing/fullRun.ts'
import { describeOnSite } from '../testing/onSite.ts'

/** Until the form can be used, ms. `npm run test:full` applies the goal, on an idle machine; otherwise the limit leaves room for noise. */
const WITHIN_MS = FULL ? 3_500 : 7_000
const VISITS = 5
/** Slow 3G of WebPageTest: 400 kbit/s, with a round trip of 400 ms. */
const SLOW_3G = { offline: false, latency: 400, downloadThroughput: 51_200, uploadThroughput: 51_200 }

/** Runs in the page: marks when a prompt can be typed and ordered, which is when React handles the field. */
function watchForm(): void {
  const look = () => {
    const prompt = document.querySelector('#prompt')
    const generate = document.querySelector('.generate-bar [type="submit"]:not([aria-disabled])')
    const isLive = prompt && generate && Object.keys(prompt).some((key) => key.startsWith('__reactProps'))
    if (isLive) performance.mark('usable')
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

const usable = (page: Page) => page.evaluate(() => performance.getEntriesByName('usable')[0]!.startTime)

describeOnSite('the workspace on slow 3G', (site) => {
  it('can be used soon, with nothing cached', { timeout: 600_000 }, async () => {
    const user = await site.newUser()
    const times: number[] = []
    // Other load makes a visit slower, never faster.
    while (times.length < VISITS && !times.some((ms) => ms <= WITHIN_MS)) {
      const page = await site.visit({ language: 'en', user })
      await page.addInitScript(watchForm)
      const devtools = await page.context().newCDPSession(page)
      await devtools.send('Network.enable')
      await devtools.send('Network.emulateNetworkConditions', SLOW_3G)
      await page.goto(`${site.url}/workspace`, { waitUntil: 'commit' })
      await page.waitForFunction(() => performance.getEntriesByName('usable').length > 0)
      times.push(Math.round(await usable(page)))
      await page.locator('#prompt').fill('A fox in the snow')
      await page.getByRole('button', { name: /^Generate/ }).click()
      await page.context().close()
    }
    console.log(`the workspace could be used after ${times.join(', ')} ms`)
    expect(Math.min(...times)).toBeLessThanOrEqual(WITHIN_MS)
  })
})
