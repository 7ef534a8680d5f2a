import { readRecurring, readSold, type SoldRow } from '#projections/subscriptions/readMoney.ts'
import { type MadeRow, readMade } from '#projections/tasks/readMade.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import { answer } from './boardRoutes.ts'
import * as contract from './contract.ts'
import { type BoardTime, daysOf } from './period.ts'

interface MoneyRoutes {
  readonly database: Database
  readonly time: BoardTime
  /** Name of the payment provider whose ids have no prefix; undefined if none is set up. */
  readonly unprefixed: string | undefined
  /** Whether clips cost the operator money. The built-in renderer is free. */
  readonly hasCost: boolean
  /** The newest daily zeros. */
  readonly zeros: () => Promise<contract.Money['zeros']>
}

/** Currency of the engines' prices. */
const COST_CURRENCY = 'USD'

const sum = <Row>(rows: readonly Row[], of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0)

/** Sums rows by a key, in the order in which the keys come first. */
function grouped<Row, Out>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  sumUp: (group: readonly Row[]) => Out,
): Out[] {
  const groups = new Map<string, Row[]>()
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row])
  return [...groups.values()].map(sumUp)
}

const sales = (group: readonly SoldRow[]) => ({
  currency: group[0]!.currency,
  sales: sum(group, (row) => row.sales),
  gross: sum(group, (row) => row.gross),
  refunds: sum(group, (row) => row.refunds),
})

function feesOf(group: readonly SoldRow[]) {
  const unknown_fees = sum(group, (row) => row.unknown_fees)
  return { fees: unknown_fees < sum(group, (row) => row.sales) ? sum(group, (row) => row.fees) : null, unknown_fees }
}

/** Returns what is left of sales after refunds and fees; null if a fee is unknown. */
const netOf = (group: readonly SoldRow[]) =>
  group.some(({ unknown_fees }) => unknown_fees > 0) ? null : sum(group, (row) => row.gross - row.refunds - row.fees)

/**
 * Returns what a sold credit brought, and what a spent one cost, in US cents. Null: nothing was sold or spent, a cost is unknown,
 * or some sale was in another currency.
 */
function ratesOf(sold: readonly SoldRow[], made: readonly MadeRow[], hasCost: boolean) {
  const [soldCredits, spent] = [sum(sold, (row) => row.credits), sum(made, (row) => row.credits)]
  const isKnown = hasCost && made.every(({ unpriced }) => unpriced === 0)
  return {
    price:
      soldCredits > 0 && sold.every(({ currency }) => currency === COST_CURRENCY)
        ? sum(sold, (row) => row.gross - row.refunds) / soldCredits
        : null,
    cost: isKnown && spent > 0 ? sum(made, (row) => row.cents) / spent : null,
  }
}

/** Serves revenue, costs and margins by what was sold and made, and the daily zeros. */
export function serveMoney(serve: Serve, { database, time, unprefixed, hasCost, zeros }: MoneyRoutes): void {
  serve(contract.money, async ({ query }) => {
    const period = { ...daysOf(query, time.today()), timeZone: time.timeZone }
    const [sold, made, recurring, latest] = await Promise.all([
      readSold(database, period),
      readMade(database, period),
      readRecurring(database, period, new Date(time.calendar())),
      zeros(),
    ])
    const { price, cost } = ratesOf(sold, made, hasCost)
    const costOf = (rows: readonly MadeRow[]) =>
      hasCost && rows.every(({ unpriced }) => unpriced === 0) ? sum(rows, (row) => row.cents) : null
    const { mrr, subscribers, before, churned } = recurring
    return answer({
      currencies: grouped(
        sold,
        ({ currency }) => currency,
        (group) => ({ ...sales(group), ...feesOf(group), net: netOf(group) }),
      ),
      plans: grouped(
        sold,
        ({ item, currency }) => `${item} ${currency}`,
        (group) => {
          const [first] = group as [SoldRow]
          const [income, credits] = [sum(group, (row) => row.gross - row.refunds), sum(group, (row) => row.credits)]
          const isKnown = cost !== null && first.currency === COST_CURRENCY
          const margin = isKnown ? Math.round(income - credits * cost) : null
          return { item: first.item, pack: first.is_pack, ...sales(group), credits, margin }
        },
      ),
      tills: grouped(
        sold,
        ({ till, currency }) => `${till} ${currency}`,
        (group) => ({ provider: group[0]!.till ?? unprefixed ?? null, ...sales(group), ...feesOf(group) }),
      ),
      models: grouped(
        made,
        ({ model }) => `${model}`,
        (group) => {
          const [paid, credits] = [costOf(group), sum(group, (row) => row.credits)]
          const margin = paid === null || price === null ? null : Math.round(credits * price - paid)
          return { model: group[0]!.model, clips: sum(group, (row) => row.clips), credits, cost: paid, margin }
        },
      ),
      engines: grouped(
        made,
        ({ engine }) => `${engine}`,
        (group) => ({ engine: group[0]!.engine, clips: sum(group, (row) => row.clips), cost: costOf(group) }),
      ),
      recurring: {
        mrr: [...mrr],
        subscribers,
        before,
        churned,
        churn: before === 0 ? null : Math.round((1_000 * churned) / before) / 10,
      },
      zeros: latest,
    })
  })
}
