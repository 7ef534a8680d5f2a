import { type LocalDays, SPAN } from '../engine/localDays.ts'
import type { Database } from '../engine/readModel.ts'

/** Returns the sales of a period net of refunds, by currency, in cents. */
export async function readRevenue(database: Database, { from, to, timeZone }: LocalDays) {
  return database.em.fork().execute<{ currency: string; amount: number }[]>(
    `select currency, sum(amount_cents - refunded_cents)::float as amount from invoice, ${SPAN}
     where period_start >= begins and period_start < ends group by currency order by currency`,
    [from, to, timeZone],
  )
}
