import { defineEntity, p } from '@mikro-orm/core'
import {
  type PaidTier,
  SUBSCRIPTION,
  SUBSCRIPTION_EVENTS,
  type SubscriptionEvent,
} from '#backend/subscriptions/events.ts'
import type { Projection, RowOf } from '../engine/projection.ts'

/** A user's current or last agreement, the one awaiting approval, and the one that starts after the current period. */
const CurrentSubscriptionTable = defineEntity({
  name: 'CurrentSubscriptionRow',
  tableName: 'current_subscription',
  properties: {
    /** The user's id. */
    id: p.uuid().primary(),
    agreement_id: p.string().nullable(),
    tier: p.string().$type<PaidTier>().nullable(),
    state: p.string().$type<'none' | 'active' | 'suspended' | 'ended'>(),
    trial: p.boolean(),
    cancelled: p.boolean(),
    /** Whether the agreement was cancelled at the provider, so that it cannot be reactivated. */
    final: p.boolean(),
    price_cents: p.integer().nullable(),
    currency: p.string().nullable(),
    period_start: p.datetime().nullable(),
    period_end: p.datetime().nullable(),
    failed_at: p.datetime().nullable(),
    grace_until: p.datetime().nullable(),
    pending: p.string().nullable(),
    scheduled: p.string().nullable(),
    scheduled_tier: p.string().$type<PaidTier>().nullable(),
    /** Agreements that the provider may still bill. */
    unclosed: p.json<readonly string[]>(),
    /** Orders of packs that may still be paid. */
    open_orders: p.json<readonly string[]>(),
  },
})
export type CurrentSubscriptionRow = RowOf<typeof CurrentSubscriptionTable>

const NO_PERIOD = { period_start: null, period_end: null, failed_at: null, grace_until: null } as const
const NO_PLAN = { agreement_id: null, tier: null, price_cents: null, currency: null, ...NO_PERIOD } as const
const NO_OTHERS = { pending: null, scheduled: null, scheduled_tier: null, unclosed: [], open_orders: [] } as const
const NONE = { ...NO_PLAN, ...NO_OTHERS, state: 'none', trial: false, cancelled: false, final: false } as const

type Row = CurrentSubscriptionRow | undefined

/** Applies the change if this is the row's current agreement. */
const about = (row: Row, agreementId: string, change: Partial<CurrentSubscriptionRow>): Row =>
  row?.agreement_id === agreementId ? { ...row, ...change } : row

const later = (a: string | null, b: string | null) => (a === null || (b !== null && b > a) ? b : a)

export const currentSubscriptions: Projection<SubscriptionEvent, CurrentSubscriptionRow> = {
  name: 'currentSubscriptions',
  version: 5,
  table: CurrentSubscriptionTable,
  categories: [SUBSCRIPTION],
  schemas: SUBSCRIPTION_EVENTS,
  row: (event) => event.data.userId,
  on: {
    SubscriptionRequested: (row, { data }) => ({
      ...NONE,
      id: data.userId,
      ...row,
      pending: data.agreementId,
      unclosed: [...(row?.unclosed ?? []), data.agreementId],
    }),
    SubscriptionScheduled: (row, { data }) =>
      row && {
        ...row,
        pending: other(row.pending, data.agreementId),
        scheduled: data.agreementId,
        scheduled_tier: data.tier,
      },
    SubscriptionActivated: (row, { data }) => {
      const { userId, agreementId, tier, trial, priceCents, currency, periodEnd } = data
      const kept = { unclosed: row?.unclosed ?? [agreementId], open_orders: row?.open_orders ?? [] }
      const rest = { pending: other(row?.pending, agreementId), ...scheduledOther(row, agreementId), ...kept }
      const price = { price_cents: priceCents, currency }
      const plan = { agreement_id: agreementId, tier, state: 'active', trial, period_end: periodEnd } as const
      return { ...NONE, id: userId, ...price, ...plan, ...rest }
    },
    SubscriptionPaid: (row, { data }) =>
      row &&
      about(row, data.agreementId, {
        trial: false,
        grace_until: row.failed_at !== null && row.failed_at > data.periodStart ? row.grace_until : null,
        period_start: later(row.period_start, data.periodStart),
        period_end: later(row.period_end, data.periodEnd),
      }),
    SubscriptionRefundProposed: (row) => row,
    SubscriptionWithdrawn: (row) => row,
    SubscriptionSaleMismatched: (row) => row,
    SubscriptionPaymentFailed: (row, { data }) =>
      about(row, data.agreementId, { failed_at: data.failedAt, grace_until: data.graceUntil }),
    SubscriptionSuspended: (row, { data }) => about(row, data.agreementId, { state: 'suspended' }),
    SubscriptionResumed: (row, { data }) => about(row, data.agreementId, { state: 'active' }),
    SubscriptionCancelled: (row, { data }) => about(row, data.agreementId, { cancelled: true, final: data.final }),
    SubscriptionPaused: (row) => row,
    SubscriptionReactivated: (row, { data }) => about(row, data.agreementId, { cancelled: false }),
    SubscriptionEnded: (row, { data }) => {
      if (!row) return row
      const isClosed = data.cause === 'expired' || data.cause === 'declined'
      const others = { pending: other(row.pending, data.agreementId), ...scheduledOther(row, data.agreementId) }
      const rest = { ...others, ...(isClosed && closed(row, data.agreementId)) }
      return about({ ...row, ...rest }, data.agreementId, { state: 'ended', grace_until: null })
    },
    SubscriptionClosed: (row, { data }) => row && { ...row, ...closed(row, data.agreementId) },
    SubscriptionSaleReversed: (row) => row,
    SubscriptionSaleDisputed: (row) => row,
    SubscriptionSaleRestored: (row) => row,
    SubscriptionSaleFeeReported: (row) => row,
    PackRequested: (row, { data }) => ({
      ...NONE,
      id: data.userId,
      ...row,
      open_orders: [...(row?.open_orders ?? []), data.agreementId],
    }),
    PackPaid: (row, { data }) =>
      row && { ...row, open_orders: row.open_orders.filter((id) => id !== data.agreementId) },
    PackReopened: (row, { data }) => row && { ...row, open_orders: [...row.open_orders, data.agreementId] },
    PackLapsed: (row, { data }) =>
      row && { ...row, open_orders: row.open_orders.filter((id) => id !== data.agreementId) },
  },
}

const closed = (row: CurrentSubscriptionRow, gone: string) => ({ unclosed: row.unclosed.filter((id) => id !== gone) })

const other = (agreementId: string | null | undefined, gone: string) =>
  agreementId === undefined || agreementId === gone ? null : agreementId

const scheduledOther = (row: Row, gone: string) =>
  row && row.scheduled !== gone
    ? { scheduled: row.scheduled, scheduled_tier: row.scheduled_tier }
    : { scheduled: null, scheduled_tier: null }
