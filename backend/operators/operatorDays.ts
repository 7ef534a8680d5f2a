/** The day of an instant (epoch milliseconds) in a zone, as `YYYY-MM-DD`. @throws RangeError no such zone */
export function operatorDays(timeZone: string): (at: number) => string {
  const parts = { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' } as const
  // Canadian English writes dates this way.
  const format = new Intl.DateTimeFormat('en-CA', parts)
  let minute = Number.NaN
  let day = ''
  return (at) => {
    // No zone changes its day within a minute.
    if (Math.floor(at / 60_000) !== minute) {
      minute = Math.floor(at / 60_000)
      day = format.format(minute * 60_000)
    }
    return day
  }
}

/** So many days after a day (or before it, below zero). */
export const daysAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
