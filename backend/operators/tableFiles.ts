import type pg from 'pg'
import { type CsvValue, csvLine } from '../kernel/http/csv.ts'
import { NETWORK } from './board.ts'
import type { TABLES } from './contract.ts'
import type { Days } from './period.ts'

export type TableName = (typeof TABLES)[number]

interface Table {
  readonly columns: readonly string[]
  /** $1 and $2: the first and the last day; $3: the operator's zone. Every table names each, so that all are asked alike. */
  readonly sql: string
}

const within = (column: string) =>
  `${column} >= $1::date::timestamp at time zone $3::text and ${column} < ($2::date + 1)::timestamp at time zone $3::text`
const utc = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
/** Tables without a period are whole; the condition only names the parameters. */
const WHOLE = '$1::date is not null and $2::date is not null and $3::text is not null'

const FILES: Readonly<Record<TableName, Table>> = {
  days: {
    columns: ['date', 'page_views', 'unique_visitors', 'pages'],
    sql: `select s.day::date::text, coalesce(pv, 0), coalesce(uv, 0), coalesce(pages, 0)
      from generate_series($1::date, $2::date, '1 day') s (day) left join traffic_day t on t.day = s.day::date
      where $3::text is not null order by s.day`,
  },
  hours: {
    columns: ['date', 'hour', 'page_views'],
    sql: `select s.day::date::text, h.hour, coalesce(pv, 0)
      from generate_series($1::date, $2::date, '1 day') s (day) cross join generate_series(0, 23) h (hour)
      left join traffic_hour t on t.day = s.day::date and t.hour = h.hour
      where $3::text is not null order by s.day, h.hour`,
  },
  pages: {
    columns: ['path', 'page_views'],
    sql: `select path, sum(pv)::int from traffic_page where day between $1::date and $2::date and $3::text is not null
      group by path order by 2 desc, path`,
  },
  visits: {
    columns: ['timestamp', 'event_type', 'path', 'status_code', 'bot', 'visitor', 'referrer', 'user_agent', 'ip'],
    sql: `select ${utc('at')}, event_type, path, status_code, bot, visitor, referrer, user_agent,
      case when ip is null then null when masklen(ip) < case family(ip) when 4 then 32 else 128 end then ${NETWORK}::text
        else host(ip) end
      from page_view where ${within('at')} order by at`,
  },
  users: {
    columns: ['id', 'email', 'created_at', 'email_verified'],
    sql: `select id, email, ${utc('created_at')}, email_verified_at is not null from user_account where ${WHOLE}
      order by created_at desc, id desc`,
  },
  failures: {
    columns: ['code', 'count'],
    sql: `select error_code, count(*)::int from task_outcome where ${within('ended_at')} and error_code is not null
      group by error_code order by 2 desc, 1`,
  },
  actions: {
    columns: ['at', 'action', 'detail', 'ip'],
    sql: `select ${utc('at')}, action, detail, ip from operator_action where ${WHOLE} order by id desc`,
  },
}

const ROWS_AT_ONCE = 2_000

/** The lines of a table as CSV, some thousand rows at a time, whatever its size. All of them are of one moment. */
export async function* tableLines(
  pool: Pick<pg.Pool, 'connect'>,
  name: TableName,
  { from, to }: Days,
  timeZone: string,
): AsyncGenerator<string> {
  const { columns, sql } = FILES[name]
  yield csvLine(columns)
  const client = await pool.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    await client.query(`declare lines no scroll cursor for ${sql}`, [from, to, timeZone])
    for (;;) {
      const { rows } = await client.query<CsvValue[]>({ text: `fetch ${ROWS_AT_ONCE} from lines`, rowMode: 'array' })
      if (rows.length === 0) return
      yield rows.map(csvLine).join('')
    }
  } finally {
    // Also where the reader has gone in the middle.
    await client.query('rollback').then(
      () => client.release(),
      (error) => client.release(error),
    )
  }
}
