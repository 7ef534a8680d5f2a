import type { CurrentSubscriptionRow, InvoiceRow } from '#projections/subscriptions/readSubscription.ts'
import { instant, instantOrNull } from '../kernel/http/instant.ts'
import type { CurrentSubscription, Invoice, Tier } from './contract.ts'

type Row = CurrentSubscriptionRow | undefined

/** The tier whose benefits a user has: a plan that rests gives none. */
export const tierOf = (row: Row): Tier => (row?.state === 'active' && row.tier ? row.tier : 'free')

/** The plan that is shown: also one that rests, since it may come back. */
export const shownTier = (row: Row): Tier =>
  (row?.state === 'active' || row?.state === 'suspended') && row.tier ? row.tier : 'free'

export function statusOf(row: Row): CurrentSubscription['status'] {
  switch (row?.state) {
    case 'active':
      if (row.cancelled) return 'cancelled'
      return row.trial ? 'trial' : 'active'
    case 'suspended':
      return row.cancelled ? 'cancelled' : 'suspended'
    case 'ended':
      return row.pending ? 'pending' : 'expired'
    default:
      return row?.pending ? 'pending' : 'active'
  }
}

/** Undefined for who is on Free. */
export function currentView(row: Row): CurrentSubscription | undefined {
  if (!row || shownTier(row) === 'free') return undefined
  return {
    tier: shownTier(row),
    status: statusOf(row),
    billing_cycle: 'monthly',
    current_period_start: instantOrNull(row.period_start),
    current_period_end: instantOrNull(row.period_end),
    cancel_at_period_end: row.cancelled,
    price_monthly: row.price_cents ?? 0,
    currency: row.currency ?? 'USD',
    grace_until: instantOrNull(row.grace_until),
    next_tier: row.scheduled_tier,
  }
}

export function invoiceView({ id, sale_id, tier, amount_cents, refunded_cents, ...row }: InvoiceRow): Invoice {
  const status = refunded_cents === 0 ? 'paid' : refunded_cents < amount_cents ? 'partially_refunded' : 'refunded'
  return {
    id,
    number: sale_id,
    tier,
    amount: amount_cents,
    refunded: refunded_cents,
    currency: row.currency,
    credits: row.credits,
    status,
    payment_method: 'paypal',
    paid_at: instant(row.period_start),
    period_start: instant(row.period_start),
    period_end: instant(row.period_end),
  }
}
