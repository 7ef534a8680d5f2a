import { readFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { axeFaults } from './testing/axeFaults.ts'
import { builtFile, builtPages } from './testing/builtPages.ts'
import { describeOnSite } from './testing/onSite.ts'
import { words } from './testing/walkJourney.ts'

const MAX_SCRIPT_BYTES = 5.5 * 1024
const DOCS = builtPages().filter((address) => /^(\/zh)?\/docs\//.test(address))
const htmlOf = (address: string) => readFileSync(builtFile(address), 'utf8')

describeOnSite('the docs', (site) => {
  it('link only to pages, files and headings that exist', async () => {
    expect(DOCS.length).toBeGreaterThanOrEqual(22)
    for (const address of DOCS) {
      const article = /<article[^>]*>(.*?)<\/article>/s.exec(htmlOf(address))![1]!
      for (const [, target = '', anchor] of article.matchAll(/href="(?!https?:)([^"#]*)(?:#([^"]+))?"/g)) {
        const page = target || address
        if (target.startsWith('/api/')) {
          expect([address, target, (await fetch(site.url + target)).status]).toEqual([address, target, 200])
          continue
        }
        expect([address, target, DOCS.includes(page)]).toEqual([address, target, true])
        if (anchor) expect([address, anchor, htmlOf(page).includes(`id="${anchor}"`)]).toEqual([address, anchor, true])
      }
    }
  })

  it('keep pages that are only in English out of the search engines of other languages', () => {
    expect(htmlOf('/zh/docs/reference/operations')).toContain('content="noindex"')
    expect(htmlOf('/docs/reference/operations')).not.toContain('hreflang="zh-CN" href')
    expect(htmlOf('/docs/start')).toMatch(/rel="alternate" hreflang="zh-CN" href="[^"]*\/zh\/docs\/start"/)
    const sitemap = readFileSync(builtFile('/').replace('index.html', 'sitemap-0.xml'), 'utf8')
    expect(sitemap).toContain('/zh/docs/start<')
    expect(sitemap).not.toContain('/zh/docs/reference/')
  })

  it.each(
    sampled([
      ['en', 'SMTP_URL register', 'Mail and registration', '/docs/production#mail-and-registration'],
      ['zh', '密钥被拒绝', '视频失败或一直等待', '/zh/docs/troubleshooting#视频失败或一直等待'],
    ] as const),
  )('are searched in %s, and load the index when the field is used', async (language, query, heading, to) => {
    const page = await site.visit({ language, width: 390 })
    const scripts: Promise<Buffer>[] = []
    let [isOpening, hasIndex] = [true, false]
    page.on('response', (response) => {
      if (isOpening && response.request().resourceType() === 'script') scripts.push(response.body())
      if (/\/docs\/index-/.test(response.url())) hasIndex = true
    })
    await page.goto(`${site.url}${language === 'zh' ? '/zh' : ''}/docs/start`, { waitUntil: 'networkidle' })
    isOpening = false
    const inline = await page.locator('script:not([src]):not([type="application/json"])').allTextContents()
    const loaded = [...(await Promise.all(scripts)), Buffer.from(inline.join('\n'))]
    const bytes = loaded.reduce((sum, code) => sum + brotliCompressSync(code).length, 0)
    expect(bytes).toBeLessThan(MAX_SCRIPT_BYTES)
    expect(hasIndex).toBe(false)

    const { search, none } = await words(language, 'docs')
    const field = page.getByRole('searchbox', { name: search as string })
    await field.fill(query)
    const hit = page.locator('.docs-hit').first()
    await hit.waitFor()
    await expect.poll(() => hit.locator('strong').textContent()).toContain(heading)
    expect(await axeFaults(page)).toEqual([])
    await page.setViewportSize({ width: 320, height: 800 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)

    await field.fill('qqqqzz')
    await page.getByText(none as string).waitFor()
    await field.fill(query)
    await hit.waitFor()
    await field.press('Enter')
    await page.waitForURL((url) => decodeURI(url.href).endsWith(to))
    await page.context().close()
  })
})
