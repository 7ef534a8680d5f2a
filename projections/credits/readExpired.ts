import { type Database, query } from '../engine/query.ts'

/** Returns the ids of users with open lots that have expired at an instant. */
export async function readExpired(database: Database, at: string): Promise<string[]> {
  const rows = await query<{ id: string }>(
    database,
    `select id from credit_balance where exists (
       select 1 from jsonb_array_elements(lots) lot
       where not (lot->>'closed')::boolean and (lot->>'expires_at')::timestamptz <= :at)`,
    { at },
  )
  return rows.map(({ id }) => id)
}
