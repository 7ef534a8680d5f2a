import type pg from 'pg'
import type { GlobalPosition } from '../eventStore.port.ts'
import { toGlobalPosition } from './postgresRows.ts'

export interface LogGap {
  /** Where the first missing event was. */
  readonly position: GlobalPosition
  readonly missing: number
}

/** Returns the position of the last event; of an empty log, the one before the first event. */
export async function readLogHead(pool: pg.Pool): Promise<GlobalPosition> {
  const { rows } = await pool.query<{ head: string }>('select coalesce(max(position), 0) as head from event')
  return toGlobalPosition(rows[0]!.head)
}

/** Finds deleted events: positions of the table `event` have no gaps. Returns the first 1000 gaps. */
export async function readLogGaps(pool: pg.Pool): Promise<LogGap[]> {
  const { rows } = await pool.query<{ position: string; missing: string }>(
    `select before + 1 as position, position - before - 1 as missing
     from (select position, lag(position, 1, 0::bigint) over (order by position) as before from event
           where (select coalesce(max(position), 0) <> count(*) from event)) e
     where position <> before + 1 order by position limit 1000`,
  )
  return rows.map(({ position, missing }) => ({ position: toGlobalPosition(position), missing: Number(missing) }))
}
