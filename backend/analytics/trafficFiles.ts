import { COUNTED } from './countVisits.ts'
import { NETWORK } from './ipAddress.ts'

/** CSV exports of the traffic tables. Parameters: $1 and $2, first and last day; $3, the operator's time zone. */
export const TRAFFIC_FILES = {
  days: {
    columns: ['date', 'page_views', 'unique_visitors', 'pages'],
    sql: `select s.day::date::text, coalesce(pv, 0), coalesce(uv, 0), coalesce(pages, 0)
      from generate_series($1::date, $2::date, '1 day') s (day) left join traffic_day t on t.day = s.day::date
      order by s.day`,
  },
  hours: {
    columns: ['date', 'hour', 'page_views'],
    sql: `select s.day::date::text, h.hour, coalesce(pv, 0)
      from generate_series($1::date, $2::date, '1 day') s (day) cross join generate_series(0, 23) h (hour)
      left join traffic_hour t on t.day = s.day::date and t.hour = h.hour
      order by s.day, h.hour`,
  },
  pages: {
    columns: ['path', 'page_views'],
    sql: `select path, sum(pv)::int from traffic_page where day between $1::date and $2::date group by path
      order by 2 desc, path`,
  },
  sources: {
    columns: ['referrer', 'page_views', 'visitors'],
    sql: `select referrer, count(*)::int, count(distinct visitor)::int from page_view
      where at >= $1::date::timestamp at time zone $3::text and at < ($2::date + 1)::timestamp at time zone $3::text
        and ${COUNTED} group by referrer order by 2 desc, 1`,
  },
  visits: {
    columns: ['timestamp', 'event_type', 'path', 'status_code', 'bot', 'visitor', 'referrer', 'user_agent', 'ip'],
    sql: `select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), event_type, path, status_code, bot,
      visitor, referrer, user_agent,
      case when ip is null then null when masklen(ip) < case family(ip) when 4 then 32 else 128 end then ${NETWORK}::text
        else host(ip) end
      from page_view where at >= $1::date::timestamp at time zone $3::text and at < ($2::date + 1)::timestamp at time zone $3::text
      order by at`,
  },
} as const
