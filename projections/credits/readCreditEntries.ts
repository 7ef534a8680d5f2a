import type { Database } from '../engine/readModel.ts'
import type { CreditEntryRow } from './creditEntry.ts'

export type CreditEntryWithBalance = CreditEntryRow & { readonly balance_after: number }

/** One page of a user's credit movements, newest first, each with the balance after it, and how many there are in all. */
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
