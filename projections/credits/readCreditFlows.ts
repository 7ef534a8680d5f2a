import { type LocalDays, SPAN } from '../engine/localDays.ts'
import { type Database, queryOne } from '../engine/query.ts'

/** Returns the credits sold, given and spent in a period, and those that users hold now. */
export const readCreditFlows = (database: Database, days: LocalDays) => {
  const within = (kind: string) =>
    `coalesce(sum(amount) filter (where kind = '${kind}' and at >= begins and at < ends), 0)::float as ${kind}`
  return queryOne<{ sold: number; given: number; spent: number; outstanding: number }>(
    database,
    `select ${within('sold')}, ${within('given')}, ${within('spent')},
       coalesce(sum(case when kind in ('sold', 'given') then amount when kind in ('spent', 'lapsed') then -amount end), 0)::float
         as outstanding
     from credit_flow, ${SPAN}`,
    { ...days },
  )
}
