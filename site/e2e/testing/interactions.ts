import type { Page } from 'playwright'

type Measured = Window & { slow?: [string, number][] }
interface Interaction extends PerformanceEventTiming {
  readonly interactionId: number
}

/** Records each interaction of pages that are opened from now on. */
export async function observeInteractions(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const slow: [string, number][] = []
    ;(window as Measured).slow = slow
    // An entry does not name a target that its own event has removed.
    const targets = new Map<number, string>()
    for (const name of ['pointerdown', 'pointerup', 'click', 'keydown', 'keyup'])
      addEventListener(
        name,
        ({ timeStamp, target }) => targets.set(timeStamp, target instanceof Element ? target.outerHTML : ''),
        true,
      )
    new PerformanceObserver((list) => {
      for (const { interactionId, name, startTime, duration } of list.getEntries() as Interaction[])
        if (interactionId) slow.push([`${name} ${targets.get(startTime)?.slice(0, 80)}`, duration])
    }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit)
  })
}

/** Returns the interactions with the open page so far and their time until the next paint, ms; the slowest first. */
export async function interactions(page: Page): Promise<[string, number][]> {
  // Entries arrive after the paint that they measure.
  await page.waitForTimeout(300)
  const seen = await page.evaluate(() => (window as Measured).slow!)
  return seen.toSorted(([, a], [, b]) => b - a)
}
