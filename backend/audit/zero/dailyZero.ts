import { type KeyObject, sign, verify } from 'node:crypto'
import type { CreditAccountEvent } from '../../credits/events.ts'
import type { EventStore } from '../../kernel/eventsourcing/eventStore.port.ts'
import { canonicalJson } from '../../kernel/eventsourcing/pure/eventHash.ts'
import { upcast } from '../../kernel/eventsourcing/pure/eventSchemas.ts'
import { SUBSCRIPTION, SUBSCRIPTION_EVENTS, type SubscriptionEvent } from '../../subscriptions/events.ts'
import type { ProviderReversal, ProviderSale } from '../../subscriptions/paymentProvider.port.ts'
import { readAccount } from '../readLedger.ts'
import { publicPem } from '../signingKey.ts'

/** One thing on which the three sides differ. Amounts are in the smallest unit of the currency; null: that side has none. */
export interface Difference {
  readonly what: 'sale' | 'credits' | 'refund'
  /** Id of the sale or refund. */
  readonly id: string
  readonly currency: string | null
  readonly till: number | null
  readonly subscriptions: number | null
  readonly ledger: number | null
}

/** What the till, the subscriptions and the ledger say of the sales of a UTC day. */
export interface DailyZero {
  readonly format: 'kinora-zero-1'
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly computedAt: string
  readonly sales: number
  readonly refunds: number
  /** Sums by currency, never across currencies. */
  readonly totals: readonly { readonly currency: string; readonly till: number; readonly subscriptions: number }[]
  readonly credits: { readonly sold: number; readonly granted: number }
  readonly differences: readonly Difference[]
  /** What could not be compared, because its payment provider is not set up or refuses the list. */
  readonly unreached: readonly string[]
}

/** `signature` is Ed25519 over `text`, the canonical JSON of a {@link DailyZero}, in base64. */
export interface SignedZero {
  readonly text: string
  readonly signature: string
  readonly publicKey: string
}

type Listed = Pick<ProviderSale, 'id' | 'amountCents' | 'currency' | 'soldAt'>

export interface ZeroDeps {
  readonly store: EventStore
  /** Returns the sales of an agreement or order in a time; undefined if its payment provider is not set up. */
  readonly salesOf: (id: string, isOrder: boolean, from: string, to: string) => Promise<readonly Listed[] | undefined>
  readonly listReversals: (
    from: string,
    to: string,
  ) => Promise<{ reversals: readonly ProviderReversal[]; refusedBy: readonly string[]; failures: readonly unknown[] }>
  /** Returns the users with sales in a time, and the agreements that may be billed. */
  readonly payers: (from: string, to: string) => Promise<readonly string[]>
  readonly openAgreements: () => Promise<
    readonly { readonly userId: string; readonly agreementIds: readonly string[] }[]
  >
  readonly buyerOf: (saleId: string) => Promise<string | undefined>
}

interface Booked {
  readonly id: string
  readonly agreementId: string
  readonly isOrder: boolean
  readonly amountCents: number
  readonly currency: string
  readonly credits: number
}

/** Returns a sale that an event books, with its time; undefined for other events. */
function bookedBy({ type, data }: SubscriptionEvent): (Booked & { readonly at: string }) | undefined {
  if (type !== 'SubscriptionPaid' && type !== 'PackPaid' && type !== 'SubscriptionSaleMismatched') return undefined
  const { saleId: id, agreementId, amountCents, currency } = data
  const sale = { id, agreementId, amountCents, currency }
  if (type === 'SubscriptionPaid') return { ...sale, isOrder: false, credits: data.credits, at: data.periodStart }
  if (type === 'PackPaid') return { ...sale, isOrder: true, credits: data.credits, at: data.soldAt }
  const isOrder = 'pack' in data.intended
  return {
    ...sale,
    isOrder,
    credits: 0,
    at: 'pack' in data.intended ? data.intended.soldAt : data.intended.periodStart,
  }
}

const within = (at: string, from: string, to: string) =>
  Date.parse(at) >= Date.parse(from) && Date.parse(at) < Date.parse(to)

/** Returns what the log says of a user: sales of a time, and all refunds by id. */
async function readUser(store: EventStore, userId: string, from: string, to: string) {
  const sales: Booked[] = []
  const refunds = new Map<string, number>()
  for await (const stored of store.readStream<SubscriptionEvent>(`${SUBSCRIPTION}-${userId}`)) {
    const event = upcast(SUBSCRIPTION_EVENTS, stored)
    const { at, ...sale } = bookedBy(event) ?? { at: '' }
    if ('id' in sale && within(at, from, to)) sales.push(sale)
    if (event.type === 'SubscriptionSaleReversed') refunds.set(event.data.reversalId, event.data.amountCents)
  }
  return { sales, refunds }
}

/** Returns the credits that the ledger granted for sales, by sale. */
async function readGranted(store: EventStore, userId: string): Promise<ReadonlyMap<string, number>> {
  const granted = new Map<string, number>()
  const isSold = ({ source }: CreditAccountEvent<'CreditLotGranted'>['data']) =>
    source === 'subscription' || source === 'payment' || source === 'pack'
  for await (const { type, data } of readAccount(store, userId))
    if (type === 'CreditLotGranted' && data.reference !== undefined && isSold(data))
      granted.set(data.reference, (granted.get(data.reference) ?? 0) + data.amount)
  return granted
}

/**
 * Compares the till, the subscriptions and the ledger for a UTC day. See docs/decisions/0093-money-by-what-was-sold.md.
 * @throws PaymentProviderDown
 */
export async function computeZero(deps: ZeroDeps, day: string, computedAt: string): Promise<DailyZero> {
  const from = `${day}T00:00:00.000Z`
  const to = new Date(Date.parse(from) + 24 * 3_600_000).toISOString()
  const differences: Difference[] = []
  const unreached: string[] = []
  const totals = new Map<string, { till: number; subscriptions: number }>()
  const add = (side: 'till' | 'subscriptions', currency: string, cents: number) => {
    const total = totals.get(currency) ?? { till: 0, subscriptions: 0 }
    totals.set(currency, { ...total, [side]: total[side] + cents })
  }
  const credits = { sold: 0, granted: 0 }
  let sales = 0
  const open = new Map((await deps.openAgreements()).map(({ userId, agreementIds }) => [userId, agreementIds]))
  for (const userId of new Set([...(await deps.payers(from, to)), ...open.keys()])) {
    const { sales: booked } = await readUser(deps.store, userId, from, to)
    const granted = booked.length > 0 ? await readGranted(deps.store, userId) : new Map<string, number>()
    for (const { id, currency, amountCents, credits: sold } of booked) {
      sales += 1
      add('subscriptions', currency, amountCents)
      const ledger = granted.get(id) ?? 0
      credits.sold += sold
      credits.granted += ledger
      if (ledger !== sold)
        differences.push({ what: 'credits', id, currency: null, till: null, subscriptions: sold, ledger })
    }
    const agreements = new Map(booked.map(({ agreementId, isOrder }) => [agreementId, isOrder]))
    for (const id of open.get(userId) ?? []) if (!agreements.has(id)) agreements.set(id, false)
    for (const [agreementId, isOrder] of agreements) {
      const own = booked.filter((sale) => sale.agreementId === agreementId)
      const listed = await deps.salesOf(agreementId, isOrder, from, to)
      if (!listed) unreached.push(...own.map(({ id }) => id))
      else {
        const ofDay = listed.filter(({ soldAt }) => within(soldAt, from, to))
        for (const { currency, amountCents = 0 } of ofDay) add('till', currency, amountCents)
        differences.push(...compareSales(own, ofDay))
      }
    }
  }
  const { reversals, refusedBy, failures } = await deps.listReversals(from, to)
  if (failures.length > 0) throw failures[0]
  unreached.push(...refusedBy)
  for (const { saleId, reversalId: id, amountCents: till, failed } of reversals) {
    const buyer = await deps.buyerOf(saleId)
    // The sale belongs to another installation, or the money is back.
    if (buyer === undefined || failed) continue
    const { refunds } = await readUser(deps.store, buyer, from, to)
    const subscriptions = refunds.get(id) ?? null
    if (subscriptions !== till)
      differences.push({ what: 'refund', id, currency: null, till: till ?? null, subscriptions, ledger: null })
  }
  return {
    ...{ format: 'kinora-zero-1', day, computedAt, sales, refunds: reversals.length, credits, differences, unreached },
    totals: [...totals].toSorted().map(([currency, sums]) => ({ currency, ...sums })),
  }
}

/** Compares the sales of an agreement. */
function compareSales(booked: readonly Booked[], listed: readonly Listed[]): Difference[] {
  const found: Difference[] = []
  const differ = (id: string, currency: string, till: number | null, subscriptions: number | null) =>
    found.push({ what: 'sale', id, currency, till, subscriptions, ledger: null })
  for (const { id, currency, amountCents } of booked) {
    const other = listed.find((each) => each.id === id)
    if (!other) differ(id, currency, null, amountCents)
    else if (other.currency !== currency || other.amountCents !== amountCents)
      differ(id, other.currency, other.amountCents ?? null, amountCents)
  }
  for (const { id, currency, amountCents } of listed)
    if (!booked.some((each) => each.id === id)) differ(id, currency, amountCents ?? null, null)
  return found
}

/** Returns a difference as a sentence. */
export function sentenceOf({ what, id, currency, till, subscriptions, ledger }: Difference): string {
  const amount = (cents: number | null) =>
    cents === null ? 'none' : `${(cents / 100).toFixed(2)} ${currency ?? ''}`.trim()
  return what === 'credits'
    ? `sale ${id}: ${subscriptions} credits sold, ${ledger} in the ledger`
    : `${what} ${id}: till ${amount(till)}, subscriptions ${amount(subscriptions)}`
}

export const isZero = ({ differences, unreached }: DailyZero): boolean =>
  differences.length === 0 && unreached.length === 0

export function signZero(zero: DailyZero, key: KeyObject): SignedZero {
  const text = canonicalJson(zero)
  return { text, signature: sign(null, Buffer.from(text), key).toString('base64'), publicKey: publicPem(key) }
}

/** Returns whether the signature of a zero is valid. */
export const isSigned = ({ text, signature, publicKey }: SignedZero): boolean =>
  verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64'))
