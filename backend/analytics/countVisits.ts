import type pg from 'pg'
import { inTransaction } from '../kernel/postgres/inTransaction.ts'

/** SQL condition for visits that are counted. Bots and `page_unload` events are stored but not counted. */
export const COUNTED = `event_type = 'page_view' and not bot`

const COLUMNS = `at, event_type, path, status_code, bot, visitor, session_id, user_id, referrer, user_agent, ip`

/** SQL that stores a batch of visits ($1, a JSON array) and queues those to be counted, in one statement. */
export const WRITE_VISITS = `
  with row as materialized (
    select * from json_to_recordset($1::json) as r (at timestamptz, event_type text, path text, status_code smallint,
      bot boolean, visitor uuid, session_id text, user_id uuid, referrer text, user_agent text, ip inet)),
  queued as (insert into uncounted_view (at, path, visitor) select at, path, visitor from row where ${COUNTED})
  insert into page_view (${COLUMNS}) select ${COLUMNS} from row`

/**
 * Counts the queued visits and removes them from the queue in one statement, so that each visit is counted once. Days
 * and hours are in the operator's time zone; an hour that repeats when the clocks go back includes both occurrences.
 * All inserts are sorted, which prevents deadlocks between processes that count at the same time.
 */
export const COUNT_VISITS = `
  with queued as (
    delete from uncounted_view returning at at time zone (select time_zone from board_state) as local, path, visitor),
  seen as materialized (
    select local::date as day, extract(hour from local)::smallint as hour, path, visitor from queued),
  fresh as (
    insert into day_visitor (day, visitor) select distinct day, visitor from seen order by day, visitor
    on conflict do nothing returning day),
  page as (
    insert into traffic_page as t (day, path, pv) select day, path, count(*) from seen group by day, path order by day, path
    on conflict (day, path) do update set pv = t.pv + excluded.pv returning day, (xmax = 0)::int as is_new),
  hour as (
    insert into traffic_hour as t (day, hour, pv) select day, hour, count(*) from seen group by day, hour order by day, hour
    on conflict (day, hour) do update set pv = t.pv + excluded.pv)
  insert into traffic_day as t (day, pv, uv, pages)
  select day, sum(pv), sum(uv), sum(pages) from (
    select day, 1 as pv, 0 as uv, 0 as pages from seen
    union all select day, 0, 1, 0 from fresh
    union all select day, 0, 0, is_new from page) news
  group by day order by day
  on conflict (day) do update set pv = t.pv + excluded.pv, uv = t.uv + excluded.uv, pages = t.pages + excluded.pages`

/** Number of past days whose visitors are kept in `day_visitor`, for requests in flight at midnight. */
export const VISITORS_KEPT_DAYS = 1

/** Recounts the registrations per day in a new time zone, within the transaction. */
type RecountRegistrations = (tx: pg.ClientBase, timeZone: string) => Promise<void>

/**
 * Recounts all visits and registrations by the days and hours of a time zone. Blocks writers until it finishes, which
 * takes a few seconds for a million visits.
 */
export async function recountVisits(pool: pg.Pool, timeZone: string, recountRegistrations: RecountRegistrations) {
  await inTransaction(pool, async (client) => {
    // Another process may be recounting.
    await client.query('set local lock_timeout = 0')
    // Blocks writing and counting of visits, which both need this table.
    await client.query('lock table uncounted_view in share row exclusive mode')
    await client.query(`set local work_mem = '64MB'`)
    await client.query('update board_state set time_zone = $1', [timeZone])
    for (const table of ['uncounted_view', 'day_visitor', 'traffic_page', 'traffic_hour', 'traffic_day'])
      await client.query(`delete from ${table}`)
    const seen = `(select (at at time zone $1)::date as day, extract(hour from at at time zone $1)::smallint as hour, path, visitor
      from page_view where ${COUNTED}) seen`
    for (const insert of [
      `insert into traffic_page select day, path, count(*) from ${seen} group by day, path order by day, path`,
      `insert into traffic_hour select day, hour, count(*) from ${seen} group by day, hour order by day, hour`,
      `insert into traffic_day select day, sum(pv), sum(uv), sum(pages) from (
         select day, sum(views) as pv, count(*) as uv, 0 as pages
         from (select day, visitor, count(*) as views from ${seen} group by day, visitor) visitors group by day
         union all select day, 0, 0, count(*) from traffic_page group by day) days group by day order by day`,
      `insert into day_visitor select distinct day, visitor from ${seen}
       where day >= (select max(day) from traffic_day) - ${VISITORS_KEPT_DAYS} order by day, visitor`,
    ])
      await client.query(insert, [timeZone])
    await recountRegistrations(client, timeZone)
  })
}

/** Recounts everything at startup if the time zone changed; otherwise counts the visits that a crash left queued. */
export async function countVisits(pool: pg.Pool, timeZone: string, recountRegistrations: RecountRegistrations) {
  const { rows } = await pool.query<{ time_zone: string }>('select time_zone from board_state')
  if (rows[0]?.time_zone === timeZone) await pool.query(COUNT_VISITS)
  else await recountVisits(pool, timeZone, recountRegistrations)
}
