import type pg from 'pg'
import { onlyRow } from './onlyRow.ts'

/** Returns the number of other sessions in the database. */
export async function countConnections(client: pg.ClientBase): Promise<number> {
  const found = await client.query<{ others: number }>(
    `select count(*)::int as others from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  )
  return onlyRow(found).others
}
