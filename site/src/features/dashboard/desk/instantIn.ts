import { knownZone } from '../figures.ts'

/** Returns what a clock in a time zone shows, as if it were UTC. @param at Unix milliseconds, whole seconds */
function clockIn(zone: string, at: number): number {
  const text = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone: zone }).format(at)
  return Date.parse(`${text.replace(' ', 'T')}Z`)
}

/**
 * Returns the ISO 8601 instant at which clocks in a time zone show a time.
 * @param typed date and time without a zone, as in a `datetime-local` field
 * @param zone IANA name; falls back to UTC if unknown
 * @example instantIn('2026-11-20T09:30', 'Asia/Shanghai') // '2026-11-20T01:30:00.000Z'
 */
export function instantIn(typed: string, zone: string): string {
  const known = knownZone(zone)
  const wanted = Date.parse(`${typed}Z`)
  const offsetAt = (at: number) => clockIn(known, at) - at
  // The first guess can be on the other side of a change of the clocks.
  return new Date(wanted - offsetAt(wanted - offsetAt(wanted))).toISOString()
}
