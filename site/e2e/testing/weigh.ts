import type { Page } from 'playwright'

/** Returns the transferred bytes by kind, after scrolling through the page. */
export async function weigh(page: Page, address: string): Promise<Record<'all' | 'script' | 'clips', number>> {
  const sums = { all: 0, script: 0, clips: 0 }
  const weighed: Promise<void>[] = []
  page.on('requestfinished', (request) =>
    weighed.push(
      request.sizes().then(({ responseBodySize }) => {
        sums.all += responseBodySize
        if (request.resourceType() === 'script') sums.script += responseBodySize
        if (request.url().endsWith('.mp4')) sums.clips += responseBodySize
      }),
    ),
  )
  await page.goto(address, { waitUntil: 'networkidle' })
  for (const section of await page.locator('main > section').all()) await section.scrollIntoViewIfNeeded()
  await page.waitForLoadState('networkidle')
  await Promise.all(weighed)
  return sums
}
