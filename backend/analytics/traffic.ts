import type pg from 'pg'
import { onlyRow } from '../kernel/postgres/onlyRow.ts'
import type { Traffic } from '../operators/traffic.port.ts'
import { COUNTED } from './countVisits.ts'
import { FULL_ADDRESS_MS, NETWORK } from './ipAddress.ts'

const RANKED = 100
const RECENT = 10
const REFERRERS = 20
const LIVE_MS = 5 * 60_000

/** SQL expression for the address shown to the operator: in full for visits after $2, otherwise truncated. */
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
/** Scans all partitions. Needed only if the last 24 hours have too few visits. */
const OLDER_VISITS = `select at as timestamp, path, ${SHOWN_IP} as ip, status_code from page_view
  where at <= $1 and ${COUNTED} order by at desc limit ${RECENT}`

/** Views of a period that began on another site, or nowhere. Parameters: first day, last day, time zone, own host. */
const ARRIVALS = `select visitor, referrer, lower(substring(referrer from '^https?://(?:www\\.)?([^/:]+)')) as site
  from page_view where at >= $1::date::timestamp at time zone $3::text
    and at < ($2::date + 1)::timestamp at time zone $3::text and ${COUNTED}
    and (referrer is null or lower(substring(referrer from '^https?://([^/]+)')) is distinct from lower($4::text))`

type Answer<Method extends keyof Traffic> = Awaited<ReturnType<Traffic[Method]>>

/** Creates the dashboard's traffic queries. Totals come from the daily counts, not from the page views. */
export function createTraffic(pool: Pick<pg.Pool, 'query'>, ownHost: () => string = () => ''): Traffic {
  const query = async <Row extends object>(name: string, text: string, values: unknown[]) =>
    (await pool.query<Row & pg.QueryResultRow>({ name: `board-${name}`, text, values })).rows as Row[]
  const queryOne = async <Row extends object>(...statement: Parameters<typeof query>) =>
    onlyRow({ rows: await query<Row>(...statement) })

  return {
    async overview(today, at) {
      const dayAgo = new Date(at - FULL_ADDRESS_MS)
      const { recent, ...counts } = await queryOne<Answer<'overview'>>('overview', OVERVIEW, [today, dayAgo])
      if (recent.length >= RECENT) return { ...counts, recent }
      const older = await query<(typeof recent)[number]>('recent', OLDER_VISITS, [dayAgo, dayAgo])
      return { ...counts, recent: [...recent, ...older].slice(0, RECENT) }
    },

    days: ({ from, to }) =>
      query(
        'days',
        `select s.day::date::text as date, coalesce(pv, 0) as pv, coalesce(uv, 0) as uv
         from generate_series($1::date, $2::date, '1 day') s (day) left join traffic_day t on t.day = s.day::date
         order by s.day`,
        [from, to],
      ),

    hours: (day) => query('hours', 'select hour, pv as count from traffic_hour where day = $1 order by hour', [day]),

    pages: ({ from, to }) =>
      query(
        'pages',
        `select path, sum(pv)::int as count from traffic_page where day between $1 and $2
         group by path order by count desc, path limit ${RANKED}`,
        [from, to],
      ),

    sources: ({ from, to }, timeZone) =>
      queryOne<Answer<'sources'>>(
        'sources',
        `with arrival as materialized (${ARRIVALS})
         select (select coalesce(json_agg(s), '[]') from (
             select site, count(*)::int as views, count(distinct visitor)::int as visitors from arrival
             group by site order by views desc, site limit ${RANKED}) s) as sources,
           (select coalesce(json_agg(r), '[]') from (
             select referrer as address, count(*)::int as views from arrival where referrer is not null
             group by referrer order by views desc, referrer limit ${REFERRERS}) r) as referrers`,
        [from, to, timeZone, ownHost()],
      ),

    live: (at) =>
      queryOne<Answer<'live'>>(
        'live',
        `with seen as materialized (select path, visitor from page_view where at > $1 and ${COUNTED})
         select (select count(distinct visitor)::int from seen) as visitors,
           (select coalesce(json_agg(p), '[]') from (
              select path, count(distinct visitor)::int as count from seen
              group by path order by count desc, path limit ${RANKED}) p) as pages`,
        [new Date(at - LIVE_MS)],
      ),
  }
}
