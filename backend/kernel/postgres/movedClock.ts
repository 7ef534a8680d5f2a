import type pg from 'pg'
import { CHANGE_CHANNEL, type Changes, RELISTENED } from './changes.ts'

/** The name under which a move of the clock is told to all processes. */
export const MOVED_CLOCK = 'movedClock'

/** The calendar's time, which can be moved ahead in development to see months pass. Only ever ahead. */
export interface MovedClock {
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Resolves with the new time. */
  advance(ms: number): Promise<number>
}

/** How far the clock was moved lies in the database, so that all processes agree and a restart keeps it. */
export async function createMovedClock(
  pool: pg.Pool,
  changes: Changes,
  realNow: () => number = Date.now,
): Promise<MovedClock> {
  let offset = 0
  const read = async () => {
    const { rows } = await pool.query<{ offset_ms: string }>('select offset_ms from moved_clock')
    offset = Math.max(offset, Number(rows[0]?.offset_ms ?? 0))
  }
  await read()
  changes.subscribe(({ name }) => void ([MOVED_CLOCK, RELISTENED].includes(name) && read().catch(() => {})))
  return {
    now: () => realNow() + offset,
    async advance(ms) {
      await pool.query(
        `insert into moved_clock (id, offset_ms) values (true, $1)
         on conflict (id) do update set offset_ms = moved_clock.offset_ms + excluded.offset_ms`,
        [ms],
      )
      await read()
      await pool.query('select pg_notify($1, $2)', [CHANGE_CHANNEL, JSON.stringify({ name: MOVED_CLOCK, ids: [] })])
      return realNow() + offset
    },
  }
}
