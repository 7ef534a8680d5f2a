import type { Database } from '../engine/readModel.ts'

/** Users with open lots whose time was over at an instant. */
export async function readExpired(database: Database, at: string): Promise<string[]> {
  const rows = await database.em.fork().execute<{ id: string }[]>(
    `select id from credit_balance where exists (
       select 1 from jsonb_array_elements(lots) lot
       where not (lot->>'closed')::boolean and (lot->>'expires_at')::timestamptz <= ?)`,
    [at],
  )
  return rows.map(({ id }) => id)
}
