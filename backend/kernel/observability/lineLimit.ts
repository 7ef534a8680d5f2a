import type { Clock } from '../time.ts'

const WINDOW_MS = 60_000
const LINES_PER_WINDOW = 60

/**
 * Limits log lines that strangers cause, of all strangers together. Returns a function that returns how many lines were left
 * out before this one, or undefined if this one must be left out too.
 * @example
 * const next = createLineLimit()
 * const omitted = next()
 * if (omitted !== undefined) log.warn({ omitted }, 'csp violation')
 */
export function createLineLimit(clock: Clock = Date.now): () => number | undefined {
  let [window, lines, omitted] = [-1, 0, 0]
  return () => {
    const now = Math.floor(clock() / WINDOW_MS)
    if (now !== window) lines = 0
    window = now
    if (++lines > LINES_PER_WINDOW) {
      omitted++
      return undefined
    }
    const before = omitted
    omitted = 0
    return before
  }
}
