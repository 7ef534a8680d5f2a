import { expect, it } from 'vitest'
import { createTickets } from './tickets.ts'

const OWNER = '0190a000-0000-7000-8000-000000000001'

it('a ticket for the second step is valid for five minutes, and for the password that it was issued for', () => {
  let now = Date.UTC(2026, 10, 28)
  const tickets = createTickets(Buffer.alloc(32, 1), () => now)
  const ticket = tickets.issue(OWNER, 'password')
  expect(tickets.ownerOf(ticket)).toBe(OWNER)
  now += 5 * 60_000
  expect(() => tickets.check(ticket, 'password')).not.toThrow()
  expect(() => tickets.check(ticket, 'another password')).toThrow('The sign-in took too long')
  now += 1
  expect(() => tickets.check(ticket, 'password')).toThrow('The sign-in took too long')
})
