import type { Database } from '#backend/kernel/postgres/query.ts'
import { query, queryOne } from '#backend/kernel/postgres/query.ts'
import { type LocalDays, localDays, SPAN } from '../engine/queryPage.ts'

/** Sales of one plan or pack in one currency at one payment provider. Amounts are in the smallest unit of the currency. */
export interface SoldRow {
  readonly item: string
  readonly is_pack: boolean
  readonly currency: string
  /** Prefix of the ids of the payment provider; null if it has none. */
  readonly till: string | null
  readonly sales: number
  readonly gross: number
  /** What was taken back of these sales, at any time. */
  readonly refunds: number
  /** What the payment provider kept of these sales, as far as it has told. */
  readonly fees: number
  readonly unknown_fees: number
  readonly credits: number
}

/** Returns the sales of a period. */
export const readSold = (database: Database, days: LocalDays) =>
  query<SoldRow>(
    database,
    `select coalesce(tier, pack, '') as item, tier is null as is_pack, currency,
       case when sale_id like '%:%' then split_part(sale_id, ':', 1) end as till, count(*)::int as sales,
       sum(amount_cents)::float as gross, sum(refunded_cents)::float as refunds, sum(credits)::float as credits,
       coalesce(sum(fee_cents), 0)::float as fees, count(*) filter (where fee_cents is null)::int as unknown_fees
     from invoice, ${SPAN} where period_start >= begins and period_start < ends
     group by 1, 2, 3, 4 order by gross desc, item, currency, till`,
    localDays(days),
  )

interface Recurring {
  /** Monthly prices of the plans that are paid for at the end of the period. */
  readonly mrr: readonly { readonly currency: string; readonly amount: number }[]
  readonly subscribers: number
  /** Subscribers at the beginning of the period. */
  readonly before: number
  /** Subscribers of the beginning who are none at the end. */
  readonly churned: number
}

/** Returns what plans bring in each month, and who left in a period. @param now the end, if the period is not over */
export const readRecurring = (database: Database, days: LocalDays, now: Date) =>
  queryOne<Recurring>(
    database,
    `with span as (select begins, least(ends, $4) as until from ${SPAN}),
     paid as (select user_id, currency, amount_cents, period_start, period_end from invoice
       where tier is not null and credits > 0 and refunded_cents < amount_cents),
     now as (select distinct on (user_id) user_id, currency, amount_cents from paid, span
       where period_start < until and period_end >= until order by user_id, period_start desc),
     before as (select distinct user_id from paid, span where period_start < begins and period_end >= begins)
     select
       (select coalesce(json_agg(m), '[]') from (
          select currency, sum(amount_cents)::float as amount from now group by currency order by currency) m) as mrr,
       (select count(*)::int from now) as subscribers, (select count(*)::int from before) as before,
       (select count(*)::int from before where user_id not in (select user_id from now)) as churned`,
    [...localDays(days), now],
  )

/** Returns the users with sales in a time. */
export const readPayers = async (database: Database, from: string, to: string): Promise<string[]> =>
  (
    await query<{ user_id: string }>(
      database,
      'select distinct user_id from invoice where period_start >= $1 and period_start < $2',
      [from, to],
    )
  ).map(({ user_id }) => user_id)

/** Returns the orders of packs that were sold since an instant, and whose fees are unknown. */
export const readOrdersWithoutFee = async (database: Database, since: Date): Promise<string[]> =>
  (
    await query<{ agreement_id: string }>(
      database,
      'select agreement_id from invoice where pack is not null and fee_cents is null and period_start >= $1',
      [since],
    )
  ).map(({ agreement_id }) => agreement_id)

/** Export of a period's sales. Parameters: first day, last day, time zone. */
export const SALES_FILE = {
  columns: ['sold_at', 'sale', 'agreement', 'user', 'plan', 'pack', 'currency', 'amount', 'refunded', 'fee', 'credits'],
  sql: `select to_char(period_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), sale_id, agreement_id, user_id, tier,
      pack, currency, (amount_cents / 100.0)::numeric(20, 2)::text, (refunded_cents / 100.0)::numeric(20, 2)::text,
      (fee_cents / 100.0)::numeric(20, 2)::text, credits
    from invoice where period_start >= $1::date::timestamp at time zone $3::text
      and period_start < ($2::date + 1)::timestamp at time zone $3::text order by period_start, sale_id`,
} as const
