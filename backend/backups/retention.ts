export const DAY_MS = 24 * 60 * 60_000
const WEEK_MS = 7 * DAY_MS
/** Age to which every copy is kept; of older ones, the newest of each week is. */
const DAILY_MS = WEEK_MS

/**
 * Returns the times of the copies to remove. Of those within `keepDays`, all of the last week are kept and then one a
 * week. The newest is always kept.
 * @param times epoch milliseconds
 */
export function expiredCopies(times: readonly number[], now: number, keepDays: number): number[] {
  const newestFirst = times.toSorted((a, b) => b - a)
  const weeks = new Set<number>()
  return newestFirst.filter((time, index) => {
    const age = now - time
    if (index === 0) return false
    if (age > keepDays * DAY_MS) return true
    if (age <= DAILY_MS) return false
    // Weeks are counted from a fixed day, so that the copy of a week stays the same one from night to night.
    const week = Math.floor(time / WEEK_MS)
    const isKept = !weeks.has(week)
    weeks.add(week)
    return !isKept
  })
}
