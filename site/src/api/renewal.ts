/** `localStorage` key for the time of the last session renewal, which all tabs share. */
const KEY = 'kinora.renewed'

const RENEWAL_INTERVAL_MS = 7 * 60 * 60 * 1000
export const RENEWAL_RETRY_MS = 10 * 60 * 1000

let inMemory = 0

function renewedAt(): number {
  try {
    return Number(localStorage.getItem(KEY)) || inMemory
  } catch {
    return inMemory
  }
}

function store(time: number): void {
  inMemory = time
  try {
    localStorage.setItem(KEY, String(time))
  } catch {
    // Without storage, each page keeps its own time.
  }
}

/** Returns whether the last renewal was at least seven hours ago. */
export const renewalDue = (now: number): boolean => Math.abs(now - renewedAt()) >= RENEWAL_INTERVAL_MS

/** Starts the renewal interval at `now` if no renewal is recorded. */
export function startRenewalClock(now: number): void {
  if (renewedAt() === 0) store(now)
}

export const recordRenewal = (now: number): void => store(now)

/** Schedules a retry of a failed renewal in ten minutes, well before the session expires. */
export const scheduleRenewalRetry = (now: number): void => store(now - RENEWAL_INTERVAL_MS + RENEWAL_RETRY_MS)
