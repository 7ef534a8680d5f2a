import { type Database, type LocalDays, type Page, queryOne, queryPage, SPAN } from '../engine/query.ts'
import type { CreditEntryRow } from './creditEntry.ts'

export type CreditEntryWithBalance = CreditEntryRow & { readonly balance_after: number }

/** Returns one page of a user's credit entries with the balance after each, newest first, and the total count. */
export async function readCreditEntries(database: Database, userId: string, page: Page) {
  const from = `(select *, (sum(amount) over (order by revision))::int as balance_after
    from credit_entry where user_id = :userId) t`
  const query = { row: 'to_jsonb(t)', from, orderBy: 'revision desc' }
  const { rows, total } = await queryPage<CreditEntryWithBalance>(database, query, { userId }, page)
  return { entries: rows, total }
}

/** Returns the number of credits that a user has spent in total and since an instant. */
export const readSpent = (database: Database, userId: string, since: string) =>
  queryOne<{ total: number; since: number }>(
    database,
    `select coalesce(-sum(amount), 0)::int as total, coalesce(-sum(amount) filter (where created_at >= :since), 0)::int as since
     from credit_entry where user_id = :userId and kind = 'spend'`,
    { userId, since },
  )

/** Returns the credits sold, given and spent in a period, and the credits outstanding now. */
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
