import { type LocalDays, SPAN } from '../engine/localDays.ts'
import { type Database, query } from '../engine/query.ts'

/** Returns the sales of a period net of refunds, by currency, in cents. */
export const readRevenue = (database: Database, days: LocalDays) =>
  query<{ currency: string; amount: number }>(
    database,
    `select currency, sum(amount_cents - refunded_cents)::float as amount from invoice, ${SPAN}
     where period_start >= begins and period_start < ends group by currency order by currency`,
    { ...days },
  )
