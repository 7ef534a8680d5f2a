import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { RunOptions } from 'axe-core'
import type { Page } from 'playwright'

/** Less than half the size of `axe.source`, which each page would have to compile. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** The timers of a page whose clock is held do not run. */
const SCRIPT = `(({ setTimeout, clearTimeout }) => { ${AXE} })(globalThis.__pwClock?.builtins ?? globalThis)`

/**
 * Returns the axe violations of a page, or of the element that a selector matches, as rules with their elements. Waits
 * for animations that end, because half-transparent text has little contrast. The axe script stays in the page until
 * the next load.
 */
export async function axeFaults(page: Page, part?: string): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(SCRIPT)
  // Preloading would wait ten seconds for videos that test doubles do not serve.
  const options: RunOptions = { resultTypes: ['violations'], preload: false }
  const violations = await page.evaluate(
    async ([part, options]) => {
      const ending = document.getAnimations().filter((one) => Number.isFinite(one.effect?.getComputedTiming().endTime))
      // A cancelled animation rejects.
      await Promise.allSettled(ending.filter(({ playState }) => playState === 'running').map((one) => one.finished))
      const { run } = (window as Window & { axe?: typeof axe }).axe!
      const { violations } = await run(part ?? document, options)
      return violations.map(({ id, nodes }) => ({ id, html: nodes.map(({ html }) => html) }))
    },
    [part, options] as const,
  )
  return violations.map(({ id, html }) => `${id}: ${html.join(' ')}`)
}
