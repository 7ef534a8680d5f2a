import type pg from 'pg'
import type { Calendar, Clock } from '../time.ts'
import { type Changes, RELISTENED } from './changes.ts'
import { notify } from './notify.ts'

/** Name of the change sent to every process when the calendar moves. Part of the notification protocol. */
export const MOVED_CLOCK = 'movedClock'

/**
 * Creates a calendar whose offset from real time is stored in the database, so that all processes share it and it
 * survives restarts.
 * @example const { calendar, advance } = await createCalendar(pool, changes)
 */
export async function createCalendar(pool: pg.Pool, changes: Changes, clock: Clock = Date.now) {
  let offset = 0
  const read = async () => {
    const { rows } = await pool.query<{ offset_ms: string }>('select offset_ms from moved_clock')
    offset = Math.max(offset, Number(rows[0]?.offset_ms ?? 0))
  }
  await read()
  changes.subscribe(({ name }) => void ([MOVED_CLOCK, RELISTENED].includes(name) && read().catch(() => {})))
  return {
    calendar: (() => clock() + offset) as Calendar,
    /** Moves the calendar ahead by `ms` milliseconds. Resolves with the new time. */
    async advance(ms: number): Promise<number> {
      await pool.query(
        `insert into moved_clock (id, offset_ms) values (true, $1)
         on conflict (id) do update set offset_ms = moved_clock.offset_ms + excluded.offset_ms`,
        [ms],
      )
      await read()
      await notify(pool, { name: MOVED_CLOCK, ids: [] })
      return clock() + offset
    },
  }
}
