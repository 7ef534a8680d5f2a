import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { KeyLimits, Spender } from './events.ts'

/** What an API key, or a member of a team, has held and spent on its last day and in that day's month (UTC), in credits. */
export interface KeySpending {
  readonly id: string
  /** ISO date. */
  readonly day: string
  readonly ofDay: number
  readonly ofMonth: number
}

/** The key or the member of a hold, and the day that its credits count for. */
export type KeyOfHold = Readonly<{ id: string; day: string }>

const DAY_MS = 24 * 3600_000

const monthOf = (day: string) => day.slice(0, 7)

/**
 * Returns what a key has held and spent at a time. The clocks of two processes may disagree about midnight: a day that
 * has begun for a key does not end again.
 */
export function spendingOf(keys: readonly KeySpending[], id: string, at: string): KeySpending {
  const known = keys.find((key) => key.id === id)
  const day = at.slice(0, 10)
  if (known && known.day >= day) return known
  return { id, day, ofDay: 0, ofMonth: known && monthOf(known.day) === monthOf(day) ? known.ofMonth : 0 }
}

/** Adds credits to the spending of a key. Keys that spent nothing in the month are forgotten. */
export function spend(keys: readonly KeySpending[], id: string, amount: number, at: string): KeySpending[] {
  const { ofDay, ofMonth, day } = spendingOf(keys, id, at)
  const others = keys.filter((key) => key.id !== id && monthOf(key.day) >= monthOf(day))
  return [...others, { id, day, ofDay: ofDay + amount, ofMonth: ofMonth + amount }]
}

/** Gives released credits back to the day and the month of their hold, while these are current. */
export const giveBack = (keys: readonly KeySpending[], hold: KeyOfHold, amount: number): readonly KeySpending[] =>
  keys.map((key) => {
    if (key.id !== hold.id || monthOf(key.day) !== monthOf(hold.day)) return key
    const ofDay = key.day === hold.day ? key.ofDay - amount : key.ofDay
    return { ...key, ofDay, ofMonth: key.ofMonth - amount }
  })

/** Returns the limit that a key passes by what it has spent, with the time of its renewal. */
export function passedLimit({ day, ofDay, ofMonth }: KeySpending, { perDay, perMonth }: KeyLimits) {
  const today = new Date(day)
  const nextMonth = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1))
  const tomorrow = new Date(today.getTime() + DAY_MS)
  if (perMonth !== undefined && ofMonth > perMonth)
    return { period: 'month', limit: perMonth, spent: ofMonth, renewsAt: nextMonth.toISOString() }
  if (perDay !== undefined && ofDay > perDay)
    return { period: 'day', limit: perDay, spent: ofDay, renewsAt: tomorrow.toISOString() }
  return undefined
}

/** @throws Rejection not_in_team, member_limit_reached */
export function assertMayHold(
  keys: readonly KeySpending[],
  spenders: readonly Spender[],
  memberId: string,
  required: number,
  at: string,
): void {
  const member = spenders.find(({ id }) => id === memberId)
  if (!member) throw new Rejection('not_in_team', 'You are not in this team any more.')
  const passed = passedLimit(spendingOf(spend(keys, memberId, required, at), memberId, at), limitsOf(member))
  if (!passed) return
  const { limit, spent, renewsAt } = passed
  throw new Rejection(
    'member_limit_reached',
    `This costs ${required} credits; you may spend ${Math.max(0, limit - (spent - required))} more of the team's this month.`,
    { required, limit, spent: spent - required, renews_at: renewsAt },
  )
}

/** Returns the limits of a member as those of a key. */
export const limitsOf = ({ id, perMonth }: Spender): KeyLimits => ({ id, ...(perMonth !== null && { perMonth }) })

/** Checks that a key may hold credits. @throws Rejection key_limit_reached */
export function assertWithinLimits(keys: readonly KeySpending[], key: KeyLimits, required: number, at: string): void {
  const passed = passedLimit(spendingOf(spend(keys, key.id, required, at), key.id, at), key)
  if (!passed) return
  const { period, limit, spent, renewsAt } = passed
  const left = limit - (spent - required)
  throw new Rejection(
    'key_limit_reached',
    `This costs ${required} credits; the API key may spend ${Math.max(0, left)} more this ${period}.`,
    { required, limit, spent: spent - required, renews_at: renewsAt },
  )
}
