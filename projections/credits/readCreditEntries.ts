import { onlyRow } from '#backend/kernel/postgres/onlyRow.ts'
import type { Database } from '#backend/kernel/postgres/query.ts'
import { queryOne, queryPrepared } from '#backend/kernel/postgres/query.ts'
import { type LocalDays, localDays, type Page, SPAN } from '../engine/queryPage.ts'
import type { CreditEntryRow } from './creditEntry.ts'

export type CreditEntryWithBalance = CreditEntryRow & { readonly balance_after: number }

/**
 * Balances are counted back from the current one over the entries of the page and newer ones: a running sum would format
 * every entry of the user as JSON before it drops those of other pages. The count and the current balance are those of
 * `credit_balance` if it ends with the same entry. Otherwise one of the two read models is behind, and all entries are added up.
 */
const PAGE = `with own as (
    select coalesce(b.entry_count, (select count(*)::int from credit_entry where user_id = $1)) as total,
      coalesce(b.entry_sum, (select coalesce(sum(amount), 0) from credit_entry where user_id = $1)) as balance
    from (select max(revision) as last_entry from credit_entry where user_id = $1) latest
    left join credit_balance b on b.id = $1 and b.last_entry = latest.last_entry),
  newest as (
    select * from credit_entry where user_id = $1 order by revision desc limit $3::bigint + $2::bigint),
  balanced as (
    select newest.*, (balance - coalesce(sum(amount) over (
      order by revision desc rows between unbounded preceding and 1 preceding), 0))::int as balance_after from newest, own)
  select total, to_json(array(select to_json(t) from balanced t order by revision desc offset $3::bigint)) as rows from own`

/** The movements of one member. Their balances are those of the whole account, so all newer entries are added up. */
const PAGE_OF_MEMBER = `with balanced as (
    select *, (sum(amount) over (order by revision))::int as balance_after from credit_entry where user_id = $1),
  own as (select * from balanced where spent_by = $4::uuid)
  select (select count(*)::int from own) as total, to_json(array(
    select to_json(t) from own t order by revision desc limit $2::bigint offset $3::bigint)) as rows`

/**
 * Returns one page of a user's credit entries with the balance after each, newest first, and the total count.
 * @param member the member of the user's team whose movements are returned; all are by default
 */
export async function readCreditEntries(
  database: Database,
  userId: string,
  { page, perPage }: Page,
  member?: string | undefined,
) {
  type Found = { rows: CreditEntryWithBalance[]; total: number }
  if (member !== undefined) {
    const values = [userId, perPage, (page - 1) * perPage, member]
    const { rows: entries, total } = onlyRow({ rows: await queryPrepared<Found>(database, PAGE_OF_MEMBER, values) })
    return { entries, total }
  }
  const found = await queryPrepared<Found>(database, PAGE, [userId, perPage, (page - 1) * perPage])
  const { rows: entries, total } = onlyRow({ rows: found })
  return { entries, total }
}

/** Returns the account of a task's hold, and its revision there; undefined if the read model does not have it. */
export async function readHold(database: Database, taskId: string) {
  type Hold = Pick<CreditEntryRow, 'user_id' | 'revision'>
  const sql = `select user_id, revision from credit_entry where id = $1 and kind in ('hold', 'spend')`
  const [row] = await queryPrepared<Hold>(database, sql, [taskId])
  return row
}

/** Returns the credits that the owner of an account, and no member of the team, has held and spent since an instant. */
export async function readSpentByOwner(database: Database, userId: string, since: string): Promise<number> {
  const sql = `select coalesce(-sum(amount), 0)::int as spent from credit_entry
     where user_id = $1 and spent_by is null and kind in ('hold', 'spend', 'release') and created_at >= $2`
  return Math.max(0, (await queryOne<{ spent: number }>(database, sql, [userId, since])).spent)
}

/** Returns the number of credits that a user has spent since an instant. */
export async function readSpent(database: Database, userId: string, since: string): Promise<number> {
  const sql = `select coalesce(-sum(amount), 0)::int as spent from credit_entry
     where user_id = $1 and kind = 'spend' and created_at >= $2`
  return (await queryOne<{ spent: number }>(database, sql, [userId, since])).spent
}

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
    localDays(days),
  )
}
