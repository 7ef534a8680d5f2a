import type { CurrentSubscriptionRow, InvoiceRow } from '#projections/subscriptions/readSubscription.ts'
import { instant, instantOrNull } from '../kernel/http/instant.ts'
import type { CurrentSubscription, Invoice, Tier } from './contract.ts'

type Row = CurrentSubscriptionRow | undefined

/** Returns the tier whose benefits apply. A suspended plan has none. */
export const effectiveTier = (row: Row): Tier => (row?.state === 'active' && row.tier ? row.tier : 'free')

/** Returns the tier to display, which includes a suspended plan. */
export const displayedTier = (row: Row): Tier =>
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

/** Returns undefined for the Free plan. */
export function currentView(row: Row): CurrentSubscription | undefined {
  if (!row || displayedTier(row) === 'free') return undefined
  return {
    tier: displayedTier(row),
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

export function invoiceView(row: InvoiceRow): Invoice {
  const { id, sale_id, tier, amount_cents, refunded_cents, currency, credits, period_start, period_end } = row
  return {
    id,
    number: sale_id,
    tier,
    amount: amount_cents,
    refunded: refunded_cents,
    currency,
    credits,
    status: refunded_cents === 0 ? 'paid' : refunded_cents < amount_cents ? 'partially_refunded' : 'refunded',
    payment_method: 'paypal',
    paid_at: instant(period_start),
    period_start: instant(period_start),
    period_end: instant(period_end),
  }
}
