import type { Database } from '../engine/readModel.ts'
import type { CreditEntryRow } from './creditEntry.ts'

export type CreditEntryWithBalance = CreditEntryRow & { readonly balance_after: number }

/** Returns one page of a user's credit entries, newest first, each with the balance after it, and their total number. */
export async function readCreditEntries(
  database: Database,
  userId: string,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ entries: CreditEntryWithBalance[]; total: number }> {
  const em = database.em.fork()
  const rows = await em.execute<{ row: CreditEntryWithBalance }[]>(
    `select to_jsonb(t) as row from (
       select *, (sum(amount) over (order by revision))::int as balance_after from credit_entry where user_id = ?
     ) t order by revision desc limit ? offset ?`,
    [userId, perPage, (page - 1) * perPage],
  )
  const [counted] = await em.execute<{ total: number }[]>(
    'select count(*)::int as total from credit_entry where user_id = ?',
    [userId],
  )
  return { entries: rows.map(({ row }) => row), total: counted!.total }
}

/** Returns the credits that a user has spent in all, and since an instant. */
export async function readSpent(
  database: Database,
  userId: string,
  since: string,
): Promise<{ total: number; since: number }> {
  const [row] = await database.em.fork().execute<{ total: number; since: number }[]>(
    `select coalesce(-sum(amount), 0)::int as total, coalesce(-sum(amount) filter (where created_at >= ?), 0)::int as since
     from credit_entry where user_id = ? and kind = 'spend'`,
    [since, userId],
  )
  return row!
}
