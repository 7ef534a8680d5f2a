import type pg from 'pg'
import { onlyRow } from '../kernel/postgres/onlyRow.ts'

/** Returns the number of unfinished erasures. */
export async function countErasures(pool: Pick<pg.ClientBase, 'query'>): Promise<number> {
  const row = await pool.query<{ erasures: number }>(
    'select count(*)::int as erasures from erasure where done_at is null',
  )
  return onlyRow(row).erasures
}
