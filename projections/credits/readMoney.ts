import type { Database } from '../engine/readModel.ts'
import { type LocalDays, SPAN } from '../tasks/readTaskHealth.ts'

/** Credits of a period, and those that users hold now. */
export async function readCreditFlows(database: Database, { from, to, timeZone }: LocalDays) {
  const within = (kind: string) =>
    `coalesce(sum(amount) filter (where kind = '${kind}' and at >= begins and at < ends), 0)::float as ${kind}`
  const [row] = await database.em.fork().execute<{ sold: number; given: number; spent: number; outstanding: number }[]>(
    `select ${within('sold')}, ${within('given')}, ${within('spent')},
         coalesce(sum(case when kind in ('sold', 'given') then amount when kind in ('spent', 'lapsed') then -amount end), 0)::float
           as outstanding
       from credit_flow, ${SPAN}`,
    [from, to, timeZone],
  )
  return row!
}

/** Sales of a period less what went back of them, by currency, in cents. */
export async function readRevenue(database: Database, { from, to, timeZone }: LocalDays) {
  return database.em.fork().execute<{ currency: string; amount: number }[]>(
    `select currency, sum(amount_cents - refunded_cents)::float as amount from invoice, ${SPAN}
     where period_start >= begins and period_start < ends group by currency order by currency`,
    [from, to, timeZone],
  )
}
