import type { Database } from '#backend/kernel/postgres/query.ts'
import { query, queryPrepared } from '#backend/kernel/postgres/query.ts'
import { type CreditBalanceRow, creditFigures } from './creditBalance.ts'

/** Returns the credits that a user can spend at an instant, and those spent or held in the current period. */
export async function readCredits(database: Database, userId: string, at: string) {
  const sql = 'select to_json(t) as row from credit_balance t where id = $1'
  const [found] = await queryPrepared<{ row: CreditBalanceRow }>(database, sql, [userId])
  return creditFigures(found?.row, at)
}

/** Returns the ids of users with unclosed lots that have expired by an instant. */
export async function readExpired(database: Database, at: string): Promise<string[]> {
  const rows = await query<{ id: string }>(
    database,
    `select id from credit_balance where exists (
       select 1 from jsonb_array_elements(lots) lot
       where not (lot->>'closed')::boolean and (lot->>'expires_at')::timestamptz <= $1)`,
    [at],
  )
  return rows.map(({ id }) => id)
}

/** Returns those of the users who have never been granted a lot. */
export async function readWithoutLot(database: Database, userIds: readonly string[], lotId: string): Promise<string[]> {
  const rows = await query<{ id: string }>(
    database,
    `select value as id from jsonb_array_elements_text($1::jsonb) where not exists (
       select from credit_balance b where b.id = value::uuid and b.lots @> jsonb_build_array(jsonb_build_object('id', $2::text)))`,
    [JSON.stringify(userIds), lotId],
  )
  return rows.map(({ id }) => id)
}

export interface Balance {
  /** User id. */
  readonly id: string
  readonly balance: number
  /** Sum of the user's credit entries. */
  readonly entries: number
  /** Revision of the latest entry; null if there is none. */
  readonly revision: number | null
}

/** Accounts to read: the next `limit` accounts after an id, or those with the given ids. */
export type BalancePage = { readonly after: string; readonly limit: number } | { readonly ids: readonly string[] }

/** Returns credit balances with the sum of each user's entries, ordered by user id. */
export async function readBalances(database: Database, page: BalancePage): Promise<Balance[]> {
  const [where, values] =
    'ids' in page
      ? ['id = any($1::uuid[]) order by id', [`{${page.ids.join(',')}}`]]
      : ['id > $1 order by id limit $2', [page.after, page.limit]]
  return query<Balance>(
    database,
    `select b.id, (coalesce(lots.left, 0) - b.debt)::int as balance, coalesce(history.total, 0)::int as entries,
       history.revision
     from (select * from credit_balance where ${where}) b
     left join lateral (select sum((lot ->> 'left')::int) as left from jsonb_array_elements(b.lots) lot) lots on true
     left join lateral (
       select sum(amount) as total, max(revision) as revision from credit_entry where user_id = b.id) history on true
     order by b.id`,
    values,
  )
}
