import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { Subscription } from './agreements.rules.ts'
import type { SubscriptionCommand } from './commands.ts'
import type { Events } from './endings.rules.ts'
import type { SubscriptionEvent } from './events.ts'

/** An order of a pack of credits, docs/decisions/0068-packs-beside-plans.md. Amounts are integer cents, and credits whole. */
export interface Pack {
  /** Id of the order, assigned by the provider. */
  readonly id: string
  readonly provider: string
  readonly pack: string
  readonly amountCents: number
  readonly currency: string
  readonly credits: number
  readonly requestedAt: string
  readonly status: 'requested' | 'paid' | 'lapsed'
  /** Whether it has lapsed before. */
  readonly late?: true
  /** Whether its account was deleted: no money is taken, and none kept. */
  readonly abandoned?: true
  /** The sale that paid for it, and its time; null if none did. */
  readonly saleId: string | null
  readonly soldAt: string | null
  /** What the provider kept; missing while it has not told that. */
  readonly feeCents?: number
}

/** Time after which an order lapses that the provider knows no payment of. Providers end unpaid orders sooner. */
const LAPSE_MS = 3 * 24 * 3_600_000

/** Returns the time at which an unpaid order lapses, in epoch milliseconds. */
export const lapsesAt = ({ requestedAt }: Pick<Pack, 'requestedAt'>): number => Date.parse(requestedAt) + LAPSE_MS

export function evolvePacks(
  packs: readonly Pack[],
  { type, data }: SubscriptionEvent<'PackRequested' | 'PackPaid' | 'PackLapsed' | 'PackReopened'>,
): readonly Pack[] {
  const { agreementId: id } = data
  const change = (patch: Partial<Pack>) => packs.map((pack) => (pack.id === id ? { ...pack, ...patch } : pack))
  switch (type) {
    case 'PackRequested': {
      const { provider, pack, amountCents, currency, credits, at } = data
      const order = { id, provider, pack, amountCents, currency, credits, requestedAt: at }
      return [...packs, { ...order, status: 'requested', saleId: null, soldAt: null }]
    }
    case 'PackPaid': {
      const { saleId, soldAt, feeCents } = data
      return change({ status: 'paid', saleId, soldAt, ...(feeCents !== undefined && { feeCents }) })
    }
    case 'PackLapsed':
      return change({ status: 'lapsed', late: true, ...(data.abandoned && { abandoned: true }) })
    case 'PackReopened':
      return change({ status: 'requested', requestedAt: data.at })
  }
}

type Sold = Pick<SubscriptionCommand<'ReportPackSale'>, 'userId' | 'at' | 'agreementId' | 'saleId' | 'feeCents'>

function find({ packs }: Subscription, id: string): Pack {
  const pack = packs.find((each) => each.id === id)
  if (!pack) throw new Rejection('unknown_order', 'This order was not made here.')
  return pack
}

/** Returns the sales of packs that granted credits. They pay for no period. */
export const packSales = ({ packs }: Subscription) =>
  packs.flatMap(({ id, saleId, amountCents, currency, credits }) =>
    saleId === null ? [] : [{ id: saleId, agreementId: id, amountCents, currency, credits, periodStart: null }],
  )

export function requestPack({ type: _, ...data }: SubscriptionCommand<'RequestPack'>, { packs }: Subscription): Events {
  return packs.some(({ id }) => id === data.agreementId) ? [] : [{ type: 'PackRequested', data }]
}

/** Records the fee of a sale that is known, if the provider told none before. */
export const reportFee = (
  { userId, at, agreementId, saleId, feeCents }: Sold,
  known: { readonly feeCents?: number },
): Events =>
  feeCents === undefined || known.feeCents !== undefined
    ? []
    : [{ type: 'SubscriptionSaleFeeReported', data: { userId, at, agreementId, saleId, feeCents } }]

/**
 * Grants the credits of a paid order, however late it was paid. A sale with another amount or currency, and a second sale of
 * the same order, grant none, nor does that of a deleted account.
 * @throws Rejection unknown_order
 */
export function reportPackSale(
  { type: _, soldAt, feeCents, ...report }: SubscriptionCommand<'ReportPackSale'>,
  subscription: Subscription,
): Events {
  const sale = { ...report, ...(feeCents !== undefined && { feeCents }) }
  const order = find(subscription, sale.agreementId)
  const { pack, late, abandoned, amountCents, currency, credits, saleId } = order
  if (saleId === sale.saleId) return reportFee(sale, order)
  if (subscription.proposedRefunds.some((each) => each.saleId === sale.saleId)) return []
  if (abandoned || saleId !== null || sale.amountCents !== amountCents || sale.currency !== currency)
    return [{ type: 'SubscriptionSaleMismatched', data: { ...sale, intended: { pack, soldAt } } }]
  return [{ type: 'PackPaid', data: { ...sale, pack, credits, soldAt, ...(late && { late }) } }]
}

/**
 * Reopens a lapsed order before its money is taken. Nobody would ask about it again if the process crashed after that.
 * @throws Rejection unknown_order, so that no money is taken for an order that was not made here
 */
export function collectPack(
  { type: _, ...data }: SubscriptionCommand<'CollectPack'>,
  subscription: Subscription,
): Events {
  const { status, abandoned } = find(subscription, data.agreementId)
  if (abandoned) throw new Rejection('unknown_order', 'The account of this order was deleted.')
  return status === 'lapsed' ? [{ type: 'PackReopened', data }] : []
}

/** Ends the unpaid orders of an account that is deleted. One that has lapsed can still be paid. */
export const abandonPacks = ({ userId, at }: SubscriptionCommand<'AbandonPacks'>, { packs }: Subscription): Events =>
  packs
    .filter(({ status, abandoned }) => status !== 'paid' && !abandoned)
    .map(({ id }) => ({ type: 'PackLapsed', data: { userId, at, agreementId: id, abandoned: true } }))

export function lapsePack({ type: _, ...data }: SubscriptionCommand<'LapsePack'>, subscription: Subscription): Events {
  const { status } = find(subscription, data.agreementId)
  return status === 'requested' ? [{ type: 'PackLapsed', data }] : []
}
