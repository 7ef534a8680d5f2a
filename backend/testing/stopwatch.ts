import { expect } from 'vitest'
import { FULL } from './fullRun.ts'

/**
 * Measures a time that the product promises.
 *
 * @example const took = stopwatch(); await probe(); took.within(2_000)
 */
export function stopwatch() {
  const begun = performance.now()
  const ms = () => performance.now() - begun
  return {
    /** Expects an upper limit in `npm run test:full`, which runs such files alone; other runs share the machine. */
    within(limitMs: number): void {
      if (FULL) expect(ms()).toBeLessThan(limitMs)
    },
    /** Expects a lower limit, which a busy machine cannot break. */
    atLeast(limitMs: number): void {
      expect(ms()).toBeGreaterThanOrEqual(limitMs)
    },
  }
}
