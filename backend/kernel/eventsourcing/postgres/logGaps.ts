import type pg from 'pg'
import { onlyRow } from '../../postgres/onlyRow.ts'
import { toGlobalPosition } from './postgresEventStore.sql.ts'

/** Returns the position of the last event, or position 0 if the log is empty. */
export async function readLogHead(pool: pg.Pool) {
  const found = await pool.query<{ head: string }>('select coalesce(max(position), 0) as head from event')
  return toGlobalPosition(onlyRow(found).head)
}

/** Finds gaps that deleted events left in the log. Returns up to 1000, each with its first position and length. */
export async function readLogGaps(pool: pg.Pool) {
  const { rows } = await pool.query<{ position: string; missing: string }>(
    `select before + 1 as position, position - before - 1 as missing
     from (select position, lag(position, 1, 0::bigint) over (order by position) as before from event
           where (select coalesce(max(position), 0) <> count(*) from event)) e
     where position <> before + 1 order by position limit 1000`,
  )
  return rows.map(({ position, missing }) => ({ position: toGlobalPosition(position), missing: Number(missing) }))
}
