import type { Handle } from '#backend/kernel/eventsourcing/handle.ts'
import type { Calendar } from '#backend/kernel/time.ts'
import { currentOf } from '#backend/subscriptions/agreements.rules.ts'
import { packSales } from '#backend/subscriptions/packs.rules.ts'
import { subscription } from '#backend/subscriptions/subscription.decider.ts'
import { takenCents } from '#backend/subscriptions/takenBack.rules.ts'

export type Reminder =
  | { readonly kind: 'renewalAhead' | 'paymentFailed'; readonly date: string }
  | { readonly kind: 'saleRefunded' | 'withdrawalRefunded'; readonly amount: string }
  | Readonly<{ kind: 'withdrawn' } & Record<'sale' | 'amount' | 'used' | 'refund' | 'receivedAt', string>>

export interface ReminderDeps {
  readonly handle: Handle
  readonly calendar: Calendar
  /** Emails a user at most once per key. */
  readonly mailOnce: (userId: string, key: string, reminder: Reminder) => Promise<void>
}

const RENEWAL_NOTICE_MS = 3 * 24 * 3_600_000

/**
 * Emails a subscriber about refunds that Kinora made, a failed payment or the upcoming renewal. Returns the delay in milliseconds until the next
 * reminder is due, or null if none is.
 */
export async function remind({ handle, calendar, mailOnce }: ReminderDeps, userId: string): Promise<number | null> {
  const { state } = await handle.read(subscription, userId)
  const text = (cents: number, currency: string) => `${currency} ${(cents / 100).toFixed(2)}`
  for (const { saleId, amountCents, currency, automatic, cause } of state.proposedRefunds)
    if (automatic && takenCents(state, { id: saleId, amountCents }) === amountCents)
      await mailOnce(userId, `refunded ${saleId}`, {
        kind: cause === 'withdrawn' ? 'withdrawalRefunded' : 'saleRefunded',
        amount: text(amountCents, currency),
      })
  for (const { saleId: sale, at, usedCredits, proposedCents, currency } of state.withdrawals) {
    const amountCents = [...state.sales, ...packSales(state)].find(({ id }) => id === sale)!.amountCents
    const refund = {
      amount: text(amountCents, currency),
      used: String(usedCredits),
      refund: text(proposedCents, currency),
    }
    const receivedAt = `${at.slice(0, 16).replace('T', ' ')} UTC`
    await mailOnce(userId, `withdrawn ${sale}`, { kind: 'withdrawn', sale, ...refund, receivedAt })
  }
  const current = currentOf(state)
  if (current?.status !== 'active') return null
  const { id, failedAt, graceUntil, periodEnd, cancelled } = current
  if (graceUntil) {
    await mailOnce(userId, `failed ${id} ${failedAt}`, { kind: 'paymentFailed', date: graceUntil })
    return null
  }
  if (cancelled !== 'no' || periodEnd === null) return null
  const delayMs = Date.parse(periodEnd) - RENEWAL_NOTICE_MS - calendar()
  if (delayMs > 0) return delayMs
  if (Date.parse(periodEnd) > calendar())
    await mailOnce(userId, `renewal ${id} ${periodEnd}`, { kind: 'renewalAhead', date: periodEnd })
  return null
}
