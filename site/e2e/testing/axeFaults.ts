import axe, { type RunOptions } from 'axe-core'
import type { Page } from 'playwright'

/**
 * What axe finds wrong in a page, or in the part that a selector names: the rule and the elements. It runs in the page, where
 * it stays until the next load, and tells nothing of what is right.
 */
export async function axeFaults(page: Page, part?: string): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(`${axe.source};0`)
  // Preloading would wait ten seconds for films that a double does not have.
  const options: RunOptions = { resultTypes: ['violations'], preload: false }
  const violations = await page.evaluate(
    async ([part, options]) => {
      const { run } = (window as unknown as { axe: typeof axe }).axe
      const { violations } = await run(part ?? document, options)
      return violations.map(({ id, nodes }) => ({ id, html: nodes.map(({ html }) => html) }))
    },
    [part, options] as const,
  )
  return violations.map(({ id, html }) => `${id}: ${html.join(' ')}`)
}
