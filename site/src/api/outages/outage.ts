import { atom } from 'nanostores'

const FIRST_RETRY_MS = 1000
const LAST_RETRY_MS = 30_000

interface Outage {
  /** Time of the next try, epoch ms; null while one is in flight. */
  readonly nextTry: number | null
}

/** Set from the first failed try until the server answers. */
export const $outage = atom<Outage | null>(null)

let wake = () => {}

/** Starts the next try now. */
export const tryNow = (): void => wake()

const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    wake = () => {
      clearTimeout(timer)
      resolve()
    }
  })

/**
 * Asks until the server answers, with backoff. Tries again as soon as the browser is online.
 * @param isRefusal whether an error is an answer, which is thrown
 */
export async function untilAnswered<T>(ask: () => Promise<T>, isRefusal: (error: unknown) => boolean): Promise<T> {
  addEventListener('online', tryNow)
  try {
    for (let wait = FIRST_RETRY_MS; ; wait = Math.min(wait * 2, LAST_RETRY_MS)) {
      try {
        return await ask()
      } catch (error) {
        if (isRefusal(error)) throw error
      }
      $outage.set({ nextTry: Date.now() + wait })
      await pause(wait)
      $outage.set({ nextTry: null })
    }
  } finally {
    removeEventListener('online', tryNow)
    $outage.set(null)
  }
}
