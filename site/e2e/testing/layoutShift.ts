import type { Page } from 'playwright'

interface Shift extends PerformanceEntry {
  readonly value: number
  readonly hadRecentInput: boolean
  readonly sources: readonly { readonly node: Node | null }[]
}
type Measured = Window & { shifts?: Shift[] }

/** Collects the layout shifts of all pages that `page` opens from now on. */
export async function observeShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: Shift[] = []
    ;(window as Measured).shifts = shifts
    new PerformanceObserver((list) => shifts.push(...(list.getEntries() as Shift[]))).observe({
      type: 'layout-shift',
      buffered: true,
    })
  })
}

/** Returns the cumulative layout shift since the last load, with the elements that moved if it is 0.02 or more. */
export function shiftFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const shifts = ((window as Measured).shifts ?? []).filter(({ hadRecentInput }) => !hadRecentInput)
    const total = shifts.reduce((sum, { value }) => sum + value, 0)
    if (total < 0.02) return []
    const moved = shifts.flatMap(({ sources }) => sources.map(({ node }) => node))
    const names = moved.map((node) => (node instanceof Element ? node.cloneNode(false) : node))
    const texts = names.map((node) => (node instanceof Element ? node.outerHTML.slice(0, 80) : node?.nodeName))
    return [`layout shift ${total.toFixed(3)}: ${texts.join(' ')}`]
  })
}
