import { readCredits } from '#projections/credits/readCredits.ts'
import {
  type CurrentSubscriptionRow,
  readInvoices,
  readSubscription,
} from '#projections/subscriptions/readSubscription.ts'
import { readTeamsOf } from '#projections/teams/readTeams.ts'
import { monthEnd } from '../credits/contract.ts'
import { API_BASE } from '../kernel/http/contract.ts'
import { instant, instantOrNull } from '../kernel/http/instant.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { Calendar } from '../kernel/time.ts'
import { endOf } from './agreements.rules.ts'
import type { CurrentSubscription, Invoice, Stats, Tier } from './contract.ts'
import { tillOf } from './paymentProvider.port.ts'
import { type Allowance, allowanceOf } from './plans.contract.ts'
import { isWithdrawable, withdrawableUntil } from './takenBack.rules.ts'

type Row = CurrentSubscriptionRow | undefined

/** Returns the tier to display. A suspended plan keeps its tier. */
const displayedTier = (row: Row): Tier =>
  (row?.state === 'active' || row?.state === 'suspended') && row.tier ? row.tier : 'free'

function statusOf(row: Row): CurrentSubscription['status'] {
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

export type SubscriptionReads = ReturnType<typeof createSubscriptionReads>

/** How users get credits. `monthlyCredits` is the allowance of installations without plans; 0 for none. */
interface Terms {
  readonly hasPlans: boolean
  readonly monthlyCredits: number
}

/** Plan whose limits everyone has where none can be bought. */
const WITHOUT_PLANS: Tier = 'ultimate'

type InvoiceRow = Awaited<ReturnType<typeof readInvoices>>['invoices'][number]

const documentOf = ({ id, kind, number, amount_cents, issued_at }: InvoiceRow['documents'][number]) => ({
  kind: kind === 'reversal' ? ('credit_note' as const) : ('invoice' as const),
  number,
  amount: amount_cents,
  issued_at: instant(issued_at),
  pdf: `${API_BASE}/subscriptions/invoices/${id}.pdf`,
})

function invoiceOf(
  { id, sale_id, tier, pack, amount_cents, refunded_cents, documents, ...row }: InvoiceRow,
  at: string,
): Invoice {
  const paidAt = instant(row.period_start)
  const canWithdraw = row.credits > 0 && refunded_cents === 0 && !row.withdrawn_at && isWithdrawable(paidAt, at)
  const [first, ...corrections] = documents.map(documentOf)
  return {
    id,
    number: first?.number ?? sale_id,
    payment: sale_id,
    pdf: first?.pdf ?? null,
    corrections,
    tier,
    pack,
    amount: amount_cents,
    refunded: refunded_cents,
    currency: row.currency,
    credits: row.credits,
    status: refunded_cents === 0 ? 'paid' : refunded_cents < amount_cents ? 'partially_refunded' : 'refunded',
    payment_method: tillOf(sale_id),
    paid_at: paidAt,
    period_start: paidAt,
    period_end: instant(row.period_end),
    withdrawable_until: canWithdraw ? new Date(withdrawableUntil(paidAt)).toISOString() : null,
    withdrawn_at: instantOrNull(row.withdrawn_at),
  }
}

/** Creates the queries for users' subscriptions. Results match the API contract. */
export const createSubscriptionReads = (
  database: Database,
  calendar: Calendar,
  { hasPlans, monthlyCredits }: Terms,
) => ({
  async stats(userId: string): Promise<Stats> {
    const [{ remaining, used }, row, teams] = await Promise.all([
      readCredits(database, userId, new Date(calendar()).toISOString()),
      readSubscription(database, userId),
      readTeamsOf(database, userId),
    ])
    const total_credits = remaining + used
    const in_team = teams.length > 0 && { in_team: true }
    const credits = { remaining_credits: remaining, total_credits, used_credits: used, ...in_team }
    if (!hasPlans) {
      const next_reset_date = monthlyCredits > 0 ? monthEnd(new Date(calendar()).toISOString()) : null
      return { current_tier: WITHOUT_PLANS, current_status: 'active', ...credits, next_reset_date }
    }
    const renews = row?.state === 'active' && !row.cancelled
    return {
      current_tier: displayedTier(row),
      current_status: statusOf(row),
      ...credits,
      next_reset_date: renews ? instantOrNull(row.period_end) : null,
    }
  },

  /** Returns the user's subscription; undefined on the Free plan. */
  async current(userId: string): Promise<CurrentSubscription | undefined> {
    const at = new Date(calendar()).toISOString()
    const row = hasPlans ? await readSubscription(database, userId) : undefined
    if (!row || displayedTier(row) === 'free') return undefined
    const { ofPlan } = await readCredits(database, userId, at)
    const [periodEnd, graceUntil] = [instantOrNull(row.period_end), instantOrNull(row.grace_until)]
    const end = endOf({ status: row.state === 'active' ? 'active' : 'suspended', periodEnd, graceUntil })
    const periodStart = instantOrNull(row.period_start)
    const isOver = end !== null && end <= at
    return {
      tier: displayedTier(row),
      status: statusOf(row),
      billing_cycle: 'monthly',
      current_period_start: periodStart,
      current_period_end: row.cancelled ? end : periodEnd,
      cancel_at_period_end: row.cancelled,
      can_reactivate: row.cancelled && !row.final && !isOver,
      price_monthly: row.price_cents ?? 0,
      currency: row.currency ?? 'USD',
      grace_until: graceUntil,
      next_tier: row.scheduled_tier,
      plan_credits: ofPlan,
      payment_provider: tillOf(row.agreement_id ?? ''),
      refundable: periodStart !== null && !isOver && isWithdrawable(periodStart, at),
    }
  },

  /** Returns the limits of the user's plan. A suspended plan has the limits of the Free plan. */
  async allowance(userId: string): Promise<Allowance> {
    if (!hasPlans) return allowanceOf(WITHOUT_PLANS)
    const row = await readSubscription(database, userId)
    return allowanceOf(row?.state === 'active' && row.tier ? row.tier : 'free')
  },

  async invoices(userId: string, page: { page: number; perPage: number }) {
    const { invoices, total } = await readInvoices(database, userId, page)
    const at = new Date(calendar()).toISOString()
    return { invoices: invoices.map((row) => invoiceOf(row, at)), total }
  },
})
