/** Inclusive range of days, as ISO dates (`YYYY-MM-DD`). */
export interface DayRange {
  readonly from: string
  readonly to: string
}

/**
 * Returns a function that converts epoch milliseconds to the local day, and throws a RangeError if the zone is unknown.
 * @example localDayOf('Europe/Berlin')(Date.parse('2026-01-31T23:30:00Z')) // '2026-02-01'
 */
export function localDayOf(timeZone: string): (at: number) => string {
  // Made when it is needed, because the first one of a process takes 5 ms.
  let format: Intl.DateTimeFormat | undefined
  let minute = Number.NaN
  let day = ''
  return (at) => {
    // Days begin on a full minute in every time zone, so each result is valid for its whole minute.
    if (Math.floor(at / 60_000) !== minute) {
      minute = Math.floor(at / 60_000)
      // The Canadian locale formats dates as YYYY-MM-DD.
      format ??= new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
      day = format.format(minute * 60_000)
    }
    return day
  }
}

/** @example addDays('2026-03-01', -1) // '2026-02-28' */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
