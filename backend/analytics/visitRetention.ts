import type pg from 'pg'
import { NETWORK, WHOLE_ADDRESS_MS } from '../operators/board.ts'
import { KEPT_DAYS } from '../operators/contract.ts'
import { daysAfter } from '../operators/operatorDays.ts'
import { VISITORS_KEPT_DAYS } from './countVisits.ts'

const DAY_MS = 86_400_000
/** Partitions that are made before their day comes. */
const AHEAD = 3
const MOVED_MS = 20 * 60_000
const PARTITION = /^page_view_(\d{4})(\d\d)(\d\d)$/

const utcDay = (at: number) => new Date(at).toISOString().slice(0, 10)

/**
 * Lets visits grow old: addresses are cut to their networks after a day, salts go with their day, and what is older than
 * 90 days is dropped, a day's partition at once.
 */
export function createVisitRetention(pool: Pick<pg.Pool, 'query'>, now: () => number, dayOf: (at: number) => string) {
  const cutAddresses = async (before: Date) => {
    const { rows } = await pool.query<{ addresses_cut_to: Date }>('select addresses_cut_to from board_state')
    await pool.query(`update page_view set ip = ${NETWORK} where at >= $1 and at < $2 and ip <> ${NETWORK}`, [
      rows[0]!.addresses_cut_to,
      before,
    ])
    await pool.query('update board_state set addresses_cut_to = greatest(addresses_cut_to, $1)', [before])
  }

  const dropPartitions = async (before: string) => {
    // What a sweep before could not end is ended now: a partition half detached, or detached and still there.
    const { rows } = await pool.query<{ name: string; pending: boolean | null }>(
      `select relname as name, inhdetachpending as pending from pg_class left join pg_inherits on inhrelid = pg_class.oid
       where relkind = 'r' and relname ~ '^page_view_[0-9]{8}$' and pg_table_is_visible(pg_class.oid)`,
    )
    for (const { name, pending } of rows) {
      const [, year, month, day] = PARTITION.exec(name) ?? []
      if (`${year}-${month}-${day}` >= before) continue
      // This way it stops nobody from reading or writing other days.
      if (pending !== null)
        await pool.query(`alter table page_view detach partition ${name} ${pending ? 'finalize' : 'concurrently'}`)
      await pool.query(`drop table ${name}`)
    }
  }

  const sweepAt = async (at: number) => {
    for (let day = 0; day <= AHEAD; day++)
      await pool.query('select page_view_partition($1)', [utcDay(at + day * DAY_MS)])
    await cutAddresses(new Date(at - WHOLE_ADDRESS_MS))
    await dropPartitions(utcDay(at - KEPT_DAYS * DAY_MS))
    const today = dayOf(at)
    await pool.query('delete from visitor_salt where day < $1', [today])
    await pool.query('delete from day_visitor where day < $1', [daysAfter(today, -VISITORS_KEPT_DAYS)])
    for (const table of ['traffic_day', 'traffic_hour', 'traffic_page'])
      await pool.query(`delete from ${table} where day < $1`, [daysAfter(today, -KEPT_DAYS)])
    await pool.query(`delete from operator_action where action = 'sign_in_refused' and at < $1`, [
      new Date(at - KEPT_DAYS * DAY_MS),
    ])
  }

  return {
    async sweep(): Promise<void> {
      let at: number
      do {
        at = now()
        await sweepAt(at)
        // The calendar was moved meanwhile, and the sweep that this asked for found one running.
      } while (now() - at > MOVED_MS)
    },
  }
}
