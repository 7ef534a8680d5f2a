import { vi } from 'vitest'

/** Far beyond what a busy machine needs, and below the time limit of a test, so that a failure names the assertion. */
const LIMIT_MS = 120_000

/**
 * Repeats the assertion until it holds, and returns its result. Use `expect.poll` to wait for one value.
 *
 * @example const task = await eventually(async () => { const read = await get(id); expect(read).toBeDefined(); return read })
 */
export const eventually = <T>(assertion: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(assertion, { timeout: LIMIT_MS, interval: 50 })
