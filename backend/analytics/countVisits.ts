import type pg from 'pg'

/** Visits that count: pages that people looked at. Pages that were left, and bots, lie in the rows alone. */
export const COUNTED = `event_type = 'page_view' and not bot`

const COLUMNS = `at, event_type, path, status_code, bot, visitor, session_id, user_id, referrer, user_agent, ip`

/** Writes a batch of visits, and notes in the same transaction which of them are to be counted. */
export const WRITE = `
  with row as materialized (
    select * from json_to_recordset($1::json) as r (at timestamptz, event_type text, path text, status_code smallint,
      bot boolean, visitor uuid, session_id text, user_id uuid, referrer text, user_agent text, ip inet)),
  noted as (insert into uncounted_view (at, path, visitor) select at, path, visitor from row where ${COUNTED})
  insert into page_view (${COLUMNS}) select ${COLUMNS} from row`

/**
 * Counts all that is noted and strikes it out, in one statement and so in one transaction: each visit is counted once. Days
 * and hours are those of the operator's zone; the hour that a clock is put back to holds both of its passes. Each part goes
 * through its rows in order, so that two processes wait for each other and never deadlock.
 */
export const COUNT = `
  with noted as (
    delete from uncounted_view returning at at time zone (select time_zone from board_state) as local, path, visitor),
  seen as materialized (
    select local::date as day, extract(hour from local)::smallint as hour, path, visitor from noted),
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

/** The days before today whose visitors are still kept one by one: for calls that were under way at midnight. */
export const VISITORS_KEPT_DAYS = 1

/**
 * Counts everything anew from the rows, in days and hours of a zone. Whoever writes meanwhile waits, and is then counted in
 * the new zone. For a million visits it takes some seconds.
 */
export async function countAnew(pool: pg.Pool, timeZone: string): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    // Writing, counting and registering all begin at one of these.
    await client.query('lock table uncounted_view, registration_day in share row exclusive mode')
    await client.query(`set local work_mem = '64MB'`)
    await client.query('update board_state set time_zone = $1', [timeZone])
    for (const table of [
      'uncounted_view',
      'day_visitor',
      'traffic_page',
      'traffic_hour',
      'traffic_day',
      'registration_day',
    ])
      await client.query(`delete from ${table}`)
    const seen = `(select (at at time zone $1)::date as day, extract(hour from at at time zone $1)::smallint as hour, path, visitor
      from page_view where ${COUNTED}) seen`
    const zone = [timeZone]
    await client.query(
      `insert into traffic_page select day, path, count(*) from ${seen} group by day, path order by day, path`,
      zone,
    )
    await client.query(
      `insert into traffic_hour select day, hour, count(*) from ${seen} group by day, hour order by day, hour`,
      zone,
    )
    await client.query(
      `insert into traffic_day select day, sum(pv), sum(uv), sum(pages) from (
         select day, sum(views) as pv, count(*) as uv, 0 as pages
         from (select day, visitor, count(*) as views from ${seen} group by day, visitor) visitors group by day
         union all select day, 0, 0, count(*) from traffic_page group by day) days group by day order by day`,
      zone,
    )
    await client.query(
      `insert into day_visitor select distinct day, visitor from ${seen}
       where day >= (select max(day) from traffic_day) - ${VISITORS_KEPT_DAYS} order by day, visitor`,
      zone,
    )
    await client.query(
      `insert into registration_day select (created_at at time zone $1)::date, count(*), count(email_verified_at)
       from user_account group by 1`,
      zone,
    )
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

/** Makes the counts complete: anew where the operator's zone has changed, or with what a killed process left uncounted. */
export async function countInZone(pool: pg.Pool, timeZone: string): Promise<void> {
  const { rows } = await pool.query<{ time_zone: string }>('select time_zone from board_state')
  if (rows[0]?.time_zone === timeZone) await pool.query(COUNT)
  else await countAnew(pool, timeZone)
}
