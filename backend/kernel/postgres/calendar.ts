import type pg from 'pg'
import type { Calendar, Clock } from '../time.ts'
import { listen } from './listen.ts'
import { notify } from './notify.ts'

const CLOCK_CHANNEL = 'moved_clock'
/** Name of the change sent to processes that hear changes, after the calendar has moved. Part of the notification protocol. */
export const MOVED_CLOCK = 'movedClock'

/**
 * Creates a calendar whose offset from real time is stored in the database, so that all processes share it and it
 * survives restarts.
 * @example const { calendar, advance } = await createCalendar(pool, connection)
 */
export async function createCalendar(pool: pg.Pool, connection: pg.ClientConfig, clock: Clock = Date.now) {
  let offset = 0
  const read = async () => {
    const { rows } = await pool.query<{ offset_ms: string }>('select offset_ms from moved_clock')
    offset = Math.max(offset, Number(rows[0]?.offset_ms ?? 0))
  }
  await read()
  const closed = new AbortController()
  const refresh = () => void read().catch(() => {})
  const listening = listen(connection, CLOCK_CHANNEL, closed.signal, { onNotification: refresh, onListening: refresh })
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
      await pool.query(`select pg_notify('${CLOCK_CHANNEL}', '')`)
      await notify(pool, { name: MOVED_CLOCK, ids: [] })
      return clock() + offset
    },
    async close(): Promise<void> {
      closed.abort()
      await listening
    },
  }
}
