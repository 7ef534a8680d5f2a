import { expect, it } from 'vitest'
import { instantIn } from './instantIn.ts'

it.each([
  ['2026-11-20T09:30', 'UTC', '2026-11-20T09:30:00.000Z'],
  ['2026-11-20T09:30:05', 'Asia/Shanghai', '2026-11-20T01:30:05.000Z'],
  ['2026-11-20T09:30', 'Mars/Olympus', '2026-11-20T09:30:00.000Z'],
  // Clocks go forward at 02:00 on 29 March, and back at 03:00 on 25 October.
  ['2026-03-29T01:30', 'Europe/Berlin', '2026-03-29T00:30:00.000Z'],
  ['2026-03-29T03:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
  ['2026-10-25T01:30', 'Europe/Berlin', '2026-10-24T23:30:00.000Z'],
  ['2026-10-25T03:30', 'Europe/Berlin', '2026-10-25T02:30:00.000Z'],
  ['2026-03-08T03:30', 'America/New_York', '2026-03-08T07:30:00.000Z'],
])('reads %s in %s as %s', (typed, zone, instant) => {
  expect(instantIn(typed, zone)).toBe(instant)
})
