/** Milliseconds to wait before the next attempt: doubling, bounded, and spread so that many clients do not come together. */
export function backoff(attempt: number, { first = 50, most = 10_000 } = {}): number {
  return Math.min(most, first * 2 ** Math.min(attempt, 20)) * (0.5 + Math.random() / 2)
}

/** Ends early, and without an error, when the signal aborts. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal?.addEventListener('abort', done, { once: true })
  })
}
