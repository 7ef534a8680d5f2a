import type { Page } from 'playwright'

const HOUR_MS = 3_600_000

type Counting = Window & { inFlight: number }

/** Runs in the page: counts the requests whose answers the page has not handled. */
function countRequests(): void {
  const counting = window as unknown as Counting
  counting.inFlight = 0
  const { setTimeout } = window
  const count = <K extends string>(owner: Record<K, (...args: never[]) => Promise<unknown>>, name: K) => {
    const original = owner[name]
    owner[name] = async function (...args) {
      counting.inFlight++
      try {
        return await original.apply(this, args)
      } finally {
        // The page's own handlers run before this.
        setTimeout(() => counting.inFlight--)
      }
    }
  }
  count(window, 'fetch')
  count(Response.prototype, 'json')
}

/**
 * Holds a page's clock, so that only `pass` and `page.clock.runFor` move it. The clock of `install` alone runs on with real
 * time: on a slow machine, more time passes than the test says. Public pages load their scripts after an animation frame,
 * which a held clock does not give, so open them first.
 */
export async function holdClock(page: Page, time = Date.now()): Promise<void> {
  await page.addInitScript(countRequests)
  await page.clock.install({ time: time - HOUR_MS })
  await page.clock.pauseAt(time)
}

/** Advances a clock that was held before the page was opened. After each step, waits until the page has handled its answers. */
export async function pass(page: Page, ms: number, step = ms): Promise<void> {
  for (let left = ms; left > 0; left -= step) {
    await page.clock.runFor(Math.min(step, left))
    await page.waitForFunction(() => (window as unknown as Counting).inFlight === 0)
  }
}
