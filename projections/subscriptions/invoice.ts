import { defineEntity, p } from '@mikro-orm/core'
import { derivedId } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import {
  type PaidTier,
  SUBSCRIPTION,
  SUBSCRIPTION_EVENTS,
  type SubscriptionEvent,
} from '#backend/subscriptions/events.ts'
import type { Projection, RowOf } from '../engine/projection.ts'

/** A completed sale and how much of it was refunded. A sale with the wrong price has no credits. Amounts are integer cents. */
const InvoiceTable = defineEntity({
  name: 'InvoiceRow',
  tableName: 'invoice',
  properties: {
    id: p.uuid().primary(),
    user_id: p.uuid(),
    sale_id: p.string(),
    agreement_id: p.string(),
    /** Plan that was sold; null for a pack. */
    tier: p.string().$type<PaidTier>().nullable(),
    pack: p.string().nullable(),
    amount_cents: p.integer(),
    refunded_cents: p.integer(),
    /** What the payment provider kept; null if it has not told that. */
    fee_cents: p.integer().nullable(),
    currency: p.string(),
    credits: p.integer(),
    period_start: p.datetime(),
    period_end: p.datetime(),
    withdrawn_at: p.datetime().nullable(),
  },
})
export type InvoiceRow = RowOf<typeof InvoiceTable>

type InvoiceEvent = SubscriptionEvent<
  | 'SubscriptionPaid'
  | 'PackPaid'
  | 'SubscriptionSaleMismatched'
  | 'SubscriptionSaleReversed'
  | 'SubscriptionSaleRestored'
  | 'SubscriptionSaleFeeReported'
  | 'SubscriptionWithdrawn'
>

type Sale = Pick<
  SubscriptionEvent<'PackPaid'>['data'],
  'userId' | 'agreementId' | 'saleId' | 'amountCents' | 'currency' | 'feeCents'
>

const invoiceOf = ({ userId, agreementId, saleId, amountCents, currency, feeCents }: Sale) => ({
  id: derivedId('sale', saleId),
  user_id: userId,
  sale_id: saleId,
  agreement_id: agreementId,
  amount_cents: amountCents,
  refunded_cents: 0,
  fee_cents: feeCents ?? null,
  currency,
  withdrawn_at: null,
})

/** A pack pays for no period, only for the time of its sale. */
const ofPack = ({ pack, soldAt }: Readonly<{ pack: string; soldAt: string }>) => ({
  tier: null,
  pack,
  period_start: soldAt,
  period_end: soldAt,
})

export const invoices: Projection<InvoiceEvent, InvoiceRow> = {
  name: 'invoices',
  version: 3,
  table: InvoiceTable,
  categories: [SUBSCRIPTION],
  schemas: SUBSCRIPTION_EVENTS,
  row: ({ data }) => derivedId('sale', data.saleId),
  on: {
    SubscriptionPaid: (_, { data }) => ({
      ...invoiceOf(data),
      tier: data.tier,
      pack: null,
      credits: data.credits,
      period_start: data.periodStart,
      period_end: data.periodEnd,
    }),
    PackPaid: (_, { data }) => ({ ...invoiceOf(data), ...ofPack(data), credits: data.credits }),
    SubscriptionSaleMismatched: (_, { data }) => {
      const sale = { ...invoiceOf(data), credits: 0 }
      if ('pack' in data.intended) return { ...sale, ...ofPack(data.intended) }
      const { tier, periodStart, periodEnd } = data.intended
      return { ...sale, tier, pack: null, period_start: periodStart, period_end: periodEnd }
    },
    SubscriptionSaleReversed: (row, { data }) =>
      row && {
        ...row,
        refunded_cents: Math.min(row.amount_cents, row.refunded_cents + data.takenCents),
      },
    SubscriptionSaleFeeReported: (row, { data }) => row && { ...row, fee_cents: data.feeCents },
    SubscriptionWithdrawn: (row, { data }) => row && { ...row, withdrawn_at: data.at },
    SubscriptionSaleRestored: (row, { data }) =>
      row && { ...row, refunded_cents: Math.max(0, row.refunded_cents - data.amountCents) },
  },
}
