import type { Handle } from '#backend/kernel/eventsourcing/handle.ts'
import { currentOf } from '#backend/subscriptions/agreements.rules.ts'
import { subscription } from '#backend/subscriptions/subscription.decider.ts'
import { contextOf } from './settleSubscription.ts'

export type Reminder =
  | { readonly kind: 'renewalAhead'; readonly date: string }
  | { readonly kind: 'paymentFailed'; readonly date: string }

export interface ReminderDeps {
  readonly handle: Handle
  readonly calendar: () => number
  /** Mails a user once per key. */
  readonly mailOnce: (userId: string, key: string, reminder: Reminder) => Promise<void>
}

const AHEAD_MS = 3 * 24 * 3_600_000

/** Mails what a subscriber should know now. @returns in how many milliseconds the next is due; null: none is foreseen */
export async function remind({ handle, calendar, mailOnce }: ReminderDeps, userId: string): Promise<number | null> {
  const command = { type: 'ApplyDueChanges', userId, at: new Date(calendar()).toISOString() } as const
  const current = currentOf((await handle(subscription, userId, command, contextOf(command))).state)
  if (current?.status !== 'active') return null
  const { id, failedAt, graceUntil, periodEnd, cancelled } = current
  if (failedAt && graceUntil) {
    await mailOnce(userId, `failed ${id} ${failedAt}`, { kind: 'paymentFailed', date: graceUntil })
    return null
  }
  if (cancelled !== 'no' || periodEnd === null) return null
  const wait = Date.parse(periodEnd) - AHEAD_MS - calendar()
  if (wait > 0) return wait
  if (Date.parse(periodEnd) > calendar())
    await mailOnce(userId, `renewal ${id} ${periodEnd}`, { kind: 'renewalAhead', date: periodEnd })
  return null
}
