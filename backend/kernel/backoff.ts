import { setTimeout as delay } from 'node:timers/promises'

/**
 * Returns the exponential backoff in milliseconds before the next attempt, with jitter so that clients do not retry in
 * lockstep.
 * @param attempt starts at 0
 * @example await pause(backoff(attempt, { initial: 100, max: 30_000 }), signal)
 */
export function backoff(attempt: number, { initial = 50, max = 10_000 } = {}): number {
  return Math.min(max, initial * 2 ** Math.min(attempt, 20)) * (0.5 + Math.random() / 2)
}

/** Waits; resolves early, without an error, when the signal aborts. @example await pause(200, signal) */
export const pause = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  delay(milliseconds, undefined, signal && { signal }).catch(() => {})
