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
    tier: p.string().$type<PaidTier>(),
    amount_cents: p.integer(),
    refunded_cents: p.integer(),
    currency: p.string(),
    credits: p.integer(),
    period_start: p.datetime(),
    period_end: p.datetime(),
  },
})
export type InvoiceRow = RowOf<typeof InvoiceTable>

type InvoiceEvent = SubscriptionEvent<
  'SubscriptionPaid' | 'SubscriptionSaleMismatched' | 'SubscriptionSaleReversed' | 'SubscriptionSaleRestored'
>

type Sale = Readonly<{ userId: string; agreementId: string; saleId: string; amountCents: number; currency: string }>

const invoiceOf = ({ userId, agreementId, saleId, amountCents, currency }: Sale) => ({
  id: derivedId('sale', saleId),
  user_id: userId,
  sale_id: saleId,
  agreement_id: agreementId,
  amount_cents: amountCents,
  refunded_cents: 0,
  currency,
})

export const invoices: Projection<InvoiceEvent, InvoiceRow> = {
  name: 'invoices',
  version: 1,
  table: InvoiceTable,
  categories: [SUBSCRIPTION],
  schemas: SUBSCRIPTION_EVENTS,
  row: ({ data }) => derivedId('sale', data.saleId),
  on: {
    SubscriptionPaid: (_, { data }) => ({
      ...invoiceOf(data),
      tier: data.tier,
      credits: data.credits,
      period_start: data.periodStart,
      period_end: data.periodEnd,
    }),
    SubscriptionSaleMismatched: (_, { data }) => {
      const { tier, periodStart, periodEnd } = data.intended
      return { ...invoiceOf(data), tier, credits: 0, period_start: periodStart, period_end: periodEnd }
    },
    SubscriptionSaleReversed: (row, { data }) =>
      row && {
        ...row,
        refunded_cents: Math.min(row.amount_cents, row.refunded_cents + data.takenCents),
      },
    SubscriptionSaleRestored: (row, { data }) =>
      row && { ...row, refunded_cents: Math.max(0, row.refunded_cents - data.amountCents) },
  },
}
