import { createHmac, timingSafeEqual } from 'node:crypto'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { isUuid } from '../../kernel/eventsourcing/uuid7.ts'
import type { Clock } from '../../kernel/time.ts'

export const ticketInvalid = () => new Rejection('ticket_invalid', 'The sign-in took too long. Please sign in again.')

const LIFETIME_MS = 5 * 60_000

/**
 * Creates tickets, `<owner>.<expiry>.<mac>`, which prove that an owner's password was correct a moment ago. `version`
 * changes with the password and thereby invalidates earlier tickets.
 */
export function createTickets(key: Buffer, now: Clock = Date.now) {
  const macOf = (owner: string, expiry: number, version: string) =>
    createHmac('sha256', key).update(`${owner}.${expiry}.${version}`).digest('base64url')
  return {
    issue(owner: string, version: string): string {
      const expiry = now() + LIFETIME_MS
      return `${owner}.${expiry}.${macOf(owner, expiry, version)}`
    },
    /** Returns the owner that a ticket names, which only `check` proves. @throws Rejection ticket_invalid */
    ownerOf(ticket: string): string {
      const owner = /^([0-9a-f-]{36})\.\d{13}\.[\w-]{43}$/.exec(ticket)?.[1]
      if (!owner || !isUuid(owner)) throw ticketInvalid()
      return owner
    },

    /** @throws Rejection ticket_invalid */
    check(ticket: string, version: string): void {
      const [owner = '', expiry = '', mac = ''] = ticket.split('.')
      const expected = Buffer.from(macOf(owner, Number(expiry), version))
      const given = Buffer.from(mac)
      const isGenuine = given.length === expected.length && timingSafeEqual(given, expected)
      if (!isGenuine || Number(expiry) < now()) throw ticketInvalid()
    },
  }
}
