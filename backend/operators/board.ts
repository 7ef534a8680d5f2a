import type pg from 'pg'
import { COUNTED } from '../analytics/countVisits.ts'
import type { Days } from './period.ts'

const RANKED = 100
const RECENT = 10
const LIVE_MS = 5 * 60_000
/** An address is shown whole for so long, and kept whole hardly longer. */
export const WHOLE_ADDRESS_MS = 24 * 3_600_000

interface Counts {
  readonly pv: number
  readonly uv: number
  readonly pages: number
}
interface Visited {
  readonly path: string
  readonly count: number
}
interface RecentVisit {
  readonly timestamp: string
  readonly path: string
  readonly ip: string | null
  readonly status_code: number
}

/** The network of an address: /24, or /48. */
export const NETWORK = `network(set_masklen(ip, least(masklen(ip), case family(ip) when 4 then 24 else 48 end)))`
const SHOWN_IP = `case when ip is null then null when at > $2 then host(ip) || case when masklen(ip) < case family(ip)
  when 4 then 32 else 128 end then '/' || masklen(ip) else '' end else ${NETWORK}::text end`

const OVERVIEW = `select
  (select to_json(d) from (select pv, uv, pages from traffic_day where day = $1::date) d) as today,
  (select to_json(d) from (select pv, uv, pages from traffic_day where day = $1::date - 1) d) as yesterday,
  (select coalesce(json_agg(p), '[]') from (
     select path, pv as count from traffic_page where day = $1::date order by pv desc, path limit ${RANKED}) p) as ranking,
  (select coalesce(json_agg(v), '[]') from (
     select at as timestamp, path, ${SHOWN_IP} as ip, status_code from page_view
     where at > $2 and ${COUNTED} order by at desc limit ${RECENT}) v) as recent`
/** The rows of all days, for quiet ones: most of the time, the last day is enough. */
const RECENT_OF_ALL = `select at as timestamp, path, ${SHOWN_IP} as ip, status_code from page_view
  where at <= $1 and ${COUNTED} order by at desc limit ${RECENT}`

/** What was counted, as the operator reads it. Every answer is one statement on indexed rows; days are the operator's. */
export function createBoard(pool: Pick<pg.Pool, 'query'>) {
  const query = async <Row extends object>(name: string, text: string, values: unknown[]) =>
    (await pool.query<Row & pg.QueryResultRow>({ name: `board-${name}`, text, values })).rows as Row[]

  return {
    async overview(today: string, now: number) {
      const dayAgo = new Date(now - WHOLE_ADDRESS_MS)
      const [row] = await query<{
        today: Counts | null
        yesterday: Counts | null
        ranking: Visited[]
        recent: RecentVisit[]
      }>('overview', OVERVIEW, [today, dayAgo])
      const { recent, ...counts } = row!
      if (recent.length >= RECENT) return { ...counts, recent }
      const older = await query<RecentVisit>('recent', RECENT_OF_ALL, [dayAgo, dayAgo])
      return { ...counts, recent: [...recent, ...older].slice(0, RECENT) }
    },

    /** Every day of a period, also those that saw nobody. */
    days: ({ from, to }: Days) =>
      query<{ date: string; pv: number; uv: number; pages: number }>(
        'days',
        `select s.day::date::text as date, coalesce(pv, 0) as pv, coalesce(uv, 0) as uv, coalesce(pages, 0) as pages
         from generate_series($1::date, $2::date, '1 day') s (day) left join traffic_day t on t.day = s.day::date
         order by s.day`,
        [from, to],
      ),

    /** Hours that saw someone: an hour that a clock is put back to holds both of its passes. */
    hours: ({ from, to }: Days) =>
      query<{ date: string; hour: number; pv: number }>(
        'hours',
        'select day::text as date, hour, pv from traffic_hour where day between $1 and $2 order by day, hour',
        [from, to],
      ),

    pages: ({ from, to }: Days, limit: number | null = RANKED) =>
      query<Visited>(
        'pages',
        `select path, sum(pv)::int as count from traffic_page where day between $1 and $2
         group by path order by count desc, path limit $3`,
        [from, to, limit],
      ),

    async live(now: number) {
      const [row] = await query<{ visitors: number; pages: Visited[] }>(
        'live',
        `with seen as materialized (select path, visitor from page_view where at > $1 and ${COUNTED})
         select (select count(distinct visitor)::int from seen) as visitors,
           (select coalesce(json_agg(p), '[]') from (
              select path, count(distinct visitor)::int as count from seen
              group by path order by count desc, path limit ${RANKED}) p) as pages`,
        [new Date(now - LIVE_MS)],
      )
      return row!
    },
  }
}

export type Board = ReturnType<typeof createBoard>
