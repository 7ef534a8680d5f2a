import type pg from 'pg'
import { addDays } from '../kernel/days.ts'
import { onlyRow } from '../kernel/postgres/onlyRow.ts'
import type { Calendar } from '../kernel/time.ts'
import { KEPT_DAYS } from '../operators/contract.ts'
import { VISITORS_KEPT_DAYS } from './countVisits.ts'
import { FULL_ADDRESS_MS, NETWORK } from './ipAddress.ts'

const DAY_MS = 86_400_000
/** Number of days for which partitions are created in advance. */
const AHEAD = 3
/** A larger advance of the calendar during a sweep, in ms, means that it was moved. */
const MOVED_MS = 20 * 60_000
const PARTITION = /^page_view_(\d{4})(\d\d)(\d\d)$/

interface Retention {
  readonly pool: Pick<pg.Pool, 'query'>
  readonly calendar: Calendar
  /** Returns the date of an instant (epoch milliseconds) in the operator's time zone. */
  readonly dayOf: (at: number) => string
  /** Deletes data of other contexts that has the same retention period as visits. */
  readonly deleteBefore: (before: Date) => Promise<void>
}

const utcDay = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Truncates addresses after 24 hours, deletes each salt after its day, and drops visit partitions after 90 days. */
export function createVisitRetention({ pool, calendar, dayOf, deleteBefore }: Retention) {
  const shortenAddresses = async (before: Date) => {
    const state = await pool.query<{ addresses_truncated_to: Date }>('select addresses_truncated_to from board_state')
    const period = [onlyRow(state).addresses_truncated_to, before]
    await pool.query(`update page_view set ip = ${NETWORK} where at >= $1 and at < $2 and ip <> ${NETWORK}`, period)
    await pool.query('update board_state set addresses_truncated_to = greatest(addresses_truncated_to, $1)', [before])
  }

  const dropPartitions = async (before: string) => {
    // An interrupted sweep may have left a partition half detached, or detached but not dropped.
    const { rows } = await pool.query<{ name: string; pending: boolean | null }>(
      `select relname as name, inhdetachpending as pending from pg_class left join pg_inherits on inhrelid = pg_class.oid
       where relkind = 'r' and relname ~ '^page_view_[0-9]{8}$' and pg_table_is_visible(pg_class.oid)`,
    )
    for (const { name, pending } of rows) {
      const [, year, month, day] = PARTITION.exec(name) ?? []
      if (`${year}-${month}-${day}` >= before) continue
      // Detaching concurrently does not block reads and writes of other days.
      if (pending !== null)
        await pool.query(`alter table page_view detach partition ${name} ${pending ? 'finalize' : 'concurrently'}`)
      await pool.query(`drop table ${name}`)
    }
  }

  const sweepAt = async (at: number) => {
    for (let day = 0; day <= AHEAD; day++)
      await pool.query('select page_view_partition($1)', [utcDay(at + day * DAY_MS)])
    await shortenAddresses(new Date(at - FULL_ADDRESS_MS))
    await dropPartitions(utcDay(at - KEPT_DAYS * DAY_MS))
    const today = dayOf(at)
    await pool.query('delete from visitor_salt where day < $1', [today])
    await pool.query('delete from day_visitor where day < $1', [addDays(today, -VISITORS_KEPT_DAYS)])
    for (const table of ['traffic_day', 'traffic_hour', 'traffic_page'])
      await pool.query(`delete from ${table} where day < $1`, [addDays(today, -KEPT_DAYS)])
    await deleteBefore(new Date(at - KEPT_DAYS * DAY_MS))
  }

  return {
    async sweep(): Promise<void> {
      let at: number
      do {
        at = calendar()
        await sweepAt(at)
        // Moving the calendar requests a sweep, but the request is ignored while this one is running.
      } while (calendar() - at > MOVED_MS)
    },
  }
}
