import type { Locator, Page } from 'playwright'
import { expect, it } from 'vitest'
import { FULL, SEED } from '#backend/testing/fullRun.ts'
import { sampled } from '#backend/testing/sampled.ts'
import { builtPages, readablePages } from './testing/builtPages.ts'
import { languagesInTurn } from './testing/languagesInTurn.ts'
import { describeOnSite } from './testing/onSite.ts'
import { words } from './testing/walkJourney.ts'

const WIDTHS = [320, 360, 390, 414, 576, 640, 768, 820, 992, 1100, 1200, 1366, 1600, 1920]
const isChinese = (address: string) => /^\/zh(\/|$)/.test(address)
const languageOf = (address: string) => (isChinese(address) ? 'zh' : 'en')

/** Returns the visible text. */
const seen = async (part: Locator) => (await part.allInnerTexts()).join('\n')

/** Collects the browser's reports of policy violations. */
async function listenForViolations(page: Page): Promise<string[]> {
  const violations: string[] = []
  await page.exposeFunction('reportViolation', (text: string) => violations.push(text))
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, documentURI }) =>
      (window as Window & { reportViolation?(text: string): void }).reportViolation?.(
        `${documentURI}: ${violatedDirective} ${blockedURI}`,
      ),
    )
  })
  return violations
}

/** Finds clipped text: elements that hide overflow and whose text overflows. */
function clippedTexts(): string[] {
  const clipped: string[] = []
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth)
    clipped.push('the page scrolls sideways')
  for (const element of document.querySelectorAll<HTMLElement>('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim())
    if (
      !own ||
      element.closest('.sr-only, svg, [aria-hidden="true"], dialog:not([open]), [popover]:not(:popover-open)')
    )
      continue
    const box = element.getBoundingClientRect()
    if (box.width === 0 || getComputedStyle(element).visibility === 'hidden') continue
    const beyond = box.left < -1 || box.right > innerWidth + 1
    const hides = getComputedStyle(element).overflowX !== 'visible' || getComputedStyle(element).overflowY !== 'visible'
    const cut =
      hides && (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1)
    // Inside a clipping box, compare with the box's edges.
    const frame = element.parentElement
      ?.closest<HTMLElement>('.card, .button, .stage, summary')
      ?.getBoundingClientRect()
    const leaves = frame && (box.right > frame.right + 1 || box.left < frame.left - 1)
    if ((beyond && !element.closest('.skip')) || cut || leaves) clipped.push(`${element.outerHTML.slice(0, 120)}`)
  }
  return clipped
}

/** Returns the pages of a language: in `npm test` one question page, and a quarter of the other pages. */
const pagesOf = (language: 'en' | 'zh') =>
  builtPages()
    .filter((address) => languageOf(address) === language)
    .filter((address) => FULL || !/\/faq\/(?!image-to-video)/.test(address))
    .filter((_, index) => FULL || (index + SEED) % 4 === 2 * Number(language === 'zh'))

/** Pages that redirect visitors to the login page. */
const LEADS_AWAY = /\/(payment|subscription)\/success$/

const readable = new Set(readablePages())

/** Looks at a page from a narrow phone to a wide screen. */
async function expectToFit(page: Page, address: string): Promise<void> {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true
  })
  for (const width of sampled(WIDTHS, 3)) {
    await page.setViewportSize({ width, height: 900 })
    expect([address, width, await page.evaluate(clippedTexts)]).toEqual([address, width, []])
  }
}

describeOnSite('every page', (site) => {
  it('violates no content security policy, and fits every width', async () => {
    for (const language of ['en', 'zh'] as const) {
      const page = await site.visit({ language })
      const violations = await listenForViolations(page)
      for (const address of pagesOf(language)) {
        const isReadable = readable.has(address)
        const answer = await page.goto(site.url + address, { waitUntil: 'load' })
        const policy = answer?.headers()['content-security-policy'] ?? ''
        expect([address, policy]).toEqual([
          address,
          expect.stringMatching(/script-src 'self' ('wasm-unsafe-eval' )?'sha256-.*frame-ancestors 'none'.*report-uri/),
        ])
        // The page that verifies films alone runs WebAssembly.
        const verifies = /^(\/zh)?\/verify$/.test(address)
        expect(verifies ? policy.replace("'wasm-unsafe-eval'", '') : policy).not.toContain('unsafe')
        if (LEADS_AWAY.test(address)) await page.waitForURL('**/auth/login**')
        if (isReadable) await expectToFit(page, address)
      }
      const inject = () =>
        void document.body.append(Object.assign(document.createElement('script'), { textContent: '1' }))
      await expect(page.evaluate(inject)).rejects.toThrow("requires 'TrustedScript'")
      // The only violation is the last one.
      await expect.poll(() => violations).toEqual([expect.stringContaining('require-trusted-types-for')])
      await page.context().close()
    }
  })

  it('is readable without scripts', async () => {
    for (const language of languagesInTurn()) {
      const prefix = language === 'zh' ? '/zh' : ''
      const context = await site.browser.newContext({
        javaScriptEnabled: false,
        locale: language === 'zh' ? 'zh-CN' : 'en-US',
      })
      const page = await context.newPage()
      const [faq, movements, plans] = await Promise.all(
        ['faq', 'movements', 'plans'].map((name) => words(language, name)),
      )
      await page.goto(`${site.url}${prefix}/faq`)
      await expect.poll(() => page.getByLabel(faq.search).isVisible()).toBe(false)
      const answers = page.locator('details.answer')
      await expect.poll(() => answers.count()).toBe(11)
      for (const answer of await answers.all()) {
        await answer.locator('summary').click()
        expect((await seen(answer.locator('.prose'))).length).toBeGreaterThan(100)
      }
      await page.goto(`${site.url}${prefix}/faq/plans`)
      expect(await seen(page.locator('article .prose'))).toContain('15')
      for (const path of ['/privacy', '/terms']) {
        await page.goto(`${site.url}${prefix}${path}`)
        expect((await seen(page.locator('article'))).length).toBeGreaterThan(1_000)
      }
      await page.goto(`${site.url}${prefix}/`)
      const landing = await seen(page.locator('main'))
      for (const name of Object.values(movements.name as Record<string, string>)) expect(landing).toContain(name)
      for (const { name } of Object.values(plans.tier as Record<string, { name: string }>))
        expect(landing).toContain(name)
      expect(landing).toContain(language === 'zh' ? '¥309' : '$44.99')
      await context.close()
    }
  })

  it('is printed dark on white, without what only the screen needs', async () => {
    const page = await site.visit({ language: 'en' })
    await page.emulateMedia({ media: 'print' })
    for (const path of ['/privacy', '/zh/terms', '/docs/start', '/faq']) {
      await page.goto(site.url + path)
      const colour = (part: string) =>
        page
          .locator(part)
          .first()
          .evaluate((element) => getComputedStyle(element).color)
      await expect.poll(() => colour('h1')).toBe('rgb(0, 0, 0)')
      const others = page.locator('.skip, header.header, footer, nav, aside, button, [role="search"]')
      await expect.poll(() => others.filter({ visible: true }).count()).toBe(0)
    }
    // The answers of the FAQ, which are folded.
    await expect
      .poll(() =>
        page
          .locator('.answer .prose')
          .first()
          .evaluate((answer) => answer.checkVisibility()),
      )
      .toBe(true)
    await page.context().close()
  })
})
