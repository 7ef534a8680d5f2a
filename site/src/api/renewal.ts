/** When the session is next renewed. The clock is the browser's, not the page's: every page of the site goes on with it. */
const KEY = 'kinora.renewed'

export const RENEW_EVERY_MS = 7 * 60 * 60 * 1000
export const TRY_AGAIN_MS = 10 * 60 * 1000

let inMemory = 0

function renewedAt(): number {
  try {
    return Number(localStorage.getItem(KEY)) || inMemory
  } catch {
    return inMemory
  }
}

function keep(time: number): void {
  inMemory = time
  try {
    localStorage.setItem(KEY, String(time))
  } catch {
    // Without storage each page counts for itself.
  }
}

/** Whether seven hours have passed since the session was opened or renewed (as far as this browser knows). */
export const renewalDue = (now: number): boolean => Math.abs(now - renewedAt()) >= RENEW_EVERY_MS

/** Counts from now where nothing is known yet. */
export function startCounting(now: number): void {
  if (renewedAt() === 0) keep(now)
}

/** The session is new as of now. */
export const renewed = (now: number): void => keep(now)

/** The renewal did not get through: it is tried again soon, while the session still lives. */
export const renewalFailed = (now: number): void => keep(now - RENEW_EVERY_MS + TRY_AGAIN_MS)
