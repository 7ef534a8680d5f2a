import { describe, expect, it } from 'vitest'
import { derivedId } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import type { EndCause, PaidTier, SubscriptionEvent } from '#backend/subscriptions/events.ts'
import { rowsOf } from '../testing/rowsOf.ts'
import { currentSubscriptions } from './currentSubscription.ts'
import { invoices } from './invoice.ts'

const userId = 'user'
const on = (date: string) => `2026-${date}T00:00:00.000Z`
const about = (agreementId: string, at = on('01-10')) => ({ userId, agreementId, at })
const price = { priceCents: 4499, currency: 'USD' }
const requested = (id: string, tier: PaidTier): SubscriptionEvent => ({
  type: 'SubscriptionRequested',
  data: { ...about(id), tier, ...price, startsAt: null },
})
const activated = (id: string, tier: PaidTier, trial = false): SubscriptionEvent => ({
  type: 'SubscriptionActivated',
  data: { ...about(id), tier, trial, ...price, periodEnd: on('02-01'), statusAt: on('01-01') },
})
const paid = (id: string, saleId: string, periodStart: string, periodEnd: string): SubscriptionEvent => ({
  type: 'SubscriptionPaid',
  data: {
    ...about(id),
    tier: 'pro',
    saleId,
    amountCents: 4499,
    currency: 'USD',
    credits: 4500,
    periodStart,
    periodEnd,
    afterEnd: false,
  },
})
const ended = (id: string, cause: EndCause, replacedBy: string | null = null): SubscriptionEvent => ({
  type: 'SubscriptionEnded',
  data: { ...about(id), cause, replacedBy },
})
const failed: SubscriptionEvent = {
  type: 'SubscriptionPaymentFailed',
  data: { ...about('A'), failedAt: on('02-01'), graceUntil: on('02-08') },
}
const marked = (type: SubscriptionEvent['type'], rest: object = {}) =>
  ({ type, data: { ...about('A'), ...rest } }) as SubscriptionEvent

const none = {
  id: userId,
  agreement_id: null,
  tier: null,
  state: 'none',
  trial: false,
  cancelled: false,
  final: false,
  price_cents: null,
  currency: null,
  period_start: null,
  period_end: null,
  failed_at: null,
  grace_until: null,
  pending: null,
  scheduled: null,
  scheduled_tier: null,
  unclosed: [] as string[],
  open_orders: [] as string[],
}
const running = {
  ...none,
  agreement_id: 'A',
  tier: 'pro',
  state: 'active',
  price_cents: 4499,
  currency: 'USD',
  period_start: on('01-01'),
  period_end: on('02-01'),
  unclosed: ['A'],
}
const first = [requested('A', 'pro'), activated('A', 'pro'), paid('A', 's1', on('01-01'), on('02-01'))]
const row = (...events: SubscriptionEvent[]) => rowsOf(currentSubscriptions, ...events)

describe('the current subscription', () => {
  it('is `none` before the approval, and after an agreement that was never approved', () => {
    expect(row(requested('A', 'pro'))).toEqual([{ ...none, pending: 'A', unclosed: ['A'] }])
    expect(row(requested('A', 'pro'), ended('A', 'not_approved'))).toEqual([{ ...none, unclosed: ['A'] }])
    expect(row(requested('A', 'pro'), ended('A', 'declined'))).toEqual([none])
  })
  it('is active from its activation, for the period of the latest sale in any order', () => {
    expect(row(...first)).toEqual([running])
    const trial = [requested('A', 'pro'), activated('A', 'pro', true)]
    expect(row(...trial)).toEqual([{ ...running, trial: true, period_start: null }])
    expect(row(...trial, first[2]!)).toEqual([running])
    const second = paid('A', 's2', on('02-01'), on('03-01'))
    const longer = { ...running, period_start: on('02-01'), period_end: on('03-01') }
    expect(row(...first.slice(0, 2), second, first[2]!)).toEqual([longer])
  })
  it('has a grace period after a failed payment, which only a later sale ends', () => {
    const grace = { ...running, failed_at: on('02-01'), grace_until: on('02-08') }
    expect(row(...first, failed)).toEqual([grace])
    expect(row(...first, failed, paid('A', 's2', on('01-15'), on('02-01')))).toEqual([
      { ...grace, period_start: on('01-15') },
    ])
    expect(row(...first, failed, paid('A', 's2', on('02-02'), on('03-01')))).toEqual([
      { ...running, failed_at: on('02-01'), period_start: on('02-02'), period_end: on('03-01') },
    ])
  })
  it('is suspended and resumed, cancelled and reactivated', () => {
    const suspended = marked('SubscriptionSuspended', { cause: 'unpaid', statusAt: null })
    const grace = { ...running, failed_at: on('02-01'), grace_until: on('02-08') }
    expect(row(...first, failed, suspended)).toEqual([{ ...grace, state: 'suspended' }])
    // The plan still ends with the grace period, unless a sale comes.
    expect(row(...first, failed, suspended, marked('SubscriptionResumed'))).toEqual([grace])
    const cancelled = marked('SubscriptionCancelled', { encryptedReason: null, endsAt: on('02-01'), final: false })
    expect(row(...first, cancelled, marked('SubscriptionPaused'))).toEqual([{ ...running, cancelled: true }])
    expect(row(...first, cancelled, marked('SubscriptionReactivated'))).toEqual([running])
    const final = marked('SubscriptionCancelled', { encryptedReason: null, endsAt: on('02-01'), final: true })
    expect(row(...first, cancelled, final)).toEqual([{ ...running, cancelled: true, final: true }])
  })
  it('ends, and is closed when the provider has ended it', () => {
    const over = { ...running, state: 'ended' }
    expect(row(...first, ended('A', 'period_end'))).toEqual([over])
    expect(row(...first, ended('A', 'period_end'), marked('SubscriptionClosed'))).toEqual([{ ...over, unclosed: [] }])
    expect(row(...first, ended('A', 'expired'))).toEqual([{ ...over, unclosed: [] }])
    expect(row(...first, failed, ended('A', 'unpaid'))).toEqual([{ ...over, failed_at: on('02-01') }])
    expect(row(...first, requested('B', 'standard'), ended('B', 'expired'))).toEqual([running])
  })
  it('is replaced by the next agreement, immediately or at its scheduled start', () => {
    const both = [...first, requested('B', 'standard')]
    expect(row(...both, ended('A', 'replaced', 'B'), activated('B', 'standard'))).toEqual([
      { ...running, agreement_id: 'B', tier: 'standard', period_start: null, unclosed: ['A', 'B'] },
    ])
    const scheduled: SubscriptionEvent = {
      type: 'SubscriptionScheduled',
      data: { ...about('B'), tier: 'standard', startsAt: on('02-01'), statusAt: null },
    }
    const waiting = { ...running, scheduled: 'B', scheduled_tier: 'standard', unclosed: ['A', 'B'] }
    expect(row(...both, scheduled)).toEqual([waiting])
    expect(row(...both, requested('C', 'standard'), scheduled)).toEqual([
      { ...waiting, pending: 'C', unclosed: ['A', 'B', 'C'] },
    ])
    const another = [...both, scheduled, requested('C', 'standard')]
    expect(row(...another, activated('C', 'standard'))).toEqual([
      { ...waiting, agreement_id: 'C', tier: 'standard', period_start: null, unclosed: ['A', 'B', 'C'] },
    ])
    expect(row(...another, ended('C', 'not_approved'))).toEqual([{ ...waiting, unclosed: ['A', 'B', 'C'] }])
    expect(row(...both, requested('C', 'standard'), activated('B', 'standard'))).toMatchObject([{ pending: 'C' }])
    expect(row(...both, scheduled, ended('B', 'withdrawn'))).toEqual([{ ...running, unclosed: ['A', 'B'] }])
  })
  it('ignores other agreements, mismatched sales and refunds', () => {
    const others = [
      marked('SubscriptionSaleMismatched', { saleId: 'x', amountCents: 1, currency: 'USD' }),
      marked('SubscriptionSaleReversed', { saleId: 's1', reversalId: 'r', kind: 'refund', amountCents: 1, credits: 1 }),
      { ...failed, data: { ...failed.data, agreementId: 'old' } } as SubscriptionEvent,
    ]
    expect(row(...first, ...others)).toEqual([running])
  })
})

describe('an invoice', () => {
  const invoice = {
    id: derivedId('sale', 's1'),
    user_id: userId,
    sale_id: 's1',
    agreement_id: 'A',
    tier: 'pro',
    pack: null as string | null,
    amount_cents: 4499,
    refunded_cents: 0,
    fee_cents: null as number | null,
    currency: 'USD',
    credits: 4500,
    period_start: on('01-01'),
    period_end: on('02-01'),
    withdrawn_at: null as string | null,
  }
  const reversed = (reversalId: string, amountCents: number): SubscriptionEvent => ({
    type: 'SubscriptionSaleReversed',
    data: { ...about('A'), saleId: 's1', reversalId, kind: 'refund', amountCents, takenCents: amountCents, credits: 1 },
  })
  it('records when its buyer withdrew', () => {
    const data = { ...about('A'), saleId: 's1', usedCredits: 0, proposedCents: 4499, currency: 'USD' }
    const withdrawn = rowsOf(invoices, ...first, { type: 'SubscriptionWithdrawn', data } satisfies SubscriptionEvent)
    expect(withdrawn).toEqual([{ ...invoice, withdrawn_at: data.at }])
  })

  it('records a completed sale and its refunds', () => {
    expect(rowsOf(invoices, ...first)).toEqual([invoice])
    const intended = { tier: 'pro' as const, periodStart: invoice.period_start, periodEnd: invoice.period_end }
    const mismatched = { saleId: 's1', amountCents: 999, currency: 'USD' }
    expect(rowsOf(invoices, marked('SubscriptionSaleMismatched', { ...mismatched, intended }))).toEqual([
      { ...invoice, amount_cents: 999, credits: 0 },
    ])
    expect(rowsOf(invoices, ...first, reversed('r', 499))).toEqual([{ ...invoice, refunded_cents: 499 }])
    expect(rowsOf(invoices, ...first, reversed('r', 4000), reversed('q', 499))).toEqual([
      { ...invoice, refunded_cents: 4499 },
    ])
  })
  it('records a fee that was told with the sale or later, and none as unknown', () => {
    const [agreed, sold] = [first.slice(0, -1), first.at(-1) as SubscriptionEvent<'SubscriptionPaid'>]
    const told = { ...sold, data: { ...sold.data, feeCents: 206 } }
    expect(rowsOf(invoices, ...agreed, told, reversed('r', 499))).toEqual([
      { ...invoice, fee_cents: 206, refunded_cents: 499 },
    ])
    const later = marked('SubscriptionSaleFeeReported', { saleId: 's1', feeCents: 0 })
    expect(rowsOf(invoices, ...first, later)).toEqual([{ ...invoice, fee_cents: 0 }])
  })
  it('counts what a reversal takes in addition, and what a won dispute gives back, at most all of it', () => {
    const { type, data } = reversed('q', 4499) as SubscriptionEvent<'SubscriptionSaleReversed'>
    const rest = { type, data: { ...data, takenCents: 100 } }
    const given = (amountCents: number) =>
      marked('SubscriptionSaleRestored', { saleId: 's1', restorationId: 'd', amountCents, credits: 1 })
    const refunded = (...events: SubscriptionEvent[]) =>
      (rowsOf(invoices, ...first, ...events) as { refunded_cents: number }[])[0]?.refunded_cents
    expect(refunded(reversed('r', 499), rest)).toBe(599)
    expect(refunded(reversed('r', 499), given(200))).toBe(299)
    expect(refunded(reversed('r', 499), given(500))).toBe(0)
  })
})
