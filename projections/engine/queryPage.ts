import { onlyRow } from '#backend/kernel/postgres/onlyRow.ts'
import type { Database } from '#backend/kernel/postgres/query.ts'
import { queryPrepared } from '#backend/kernel/postgres/query.ts'

/** `page` counts from 1. */
export type Page = Readonly<{ page: number; perPage: number }>

/** `from`: FROM and WHERE clauses, without the leading keyword. */
type PageQuery = Readonly<{ columns: string; from: string; orderBy: string }>

/** Returns one page of rows and the total count, in one statement. Only the rows of the page are formatted as JSON. */
export async function queryPage<Row>(
  database: Database,
  { columns, from, orderBy }: PageQuery,
  values: readonly unknown[],
  { page, perPage }: Page,
): Promise<{ rows: Row[]; total: number }> {
  const [limit, offset] = [`$${values.length + 1}`, `$${values.length + 2}`]
  const paged = `select ${columns} from ${from} order by ${orderBy} limit ${limit} offset ${offset}`
  const sql = `select (select coalesce(json_agg(page), '[]') from (${paged}) page) as rows,
    (select count(*)::int from ${from}) as total`
  const all = [...values, perPage, (page - 1) * perPage]
  return onlyRow({ rows: await queryPrepared<{ rows: Row[]; total: number }>(database, sql, all) })
}

/** A period of calendar days in a time zone. `from` and `to` are inclusive and formatted as YYYY-MM-DD. */
export type LocalDays = Readonly<{ from: string; to: string; timeZone: string }>

/**
 * SQL subquery that selects the bounds of a period: `begins` (inclusive) and `ends` (exclusive). Its parameters, the
 * first of the statement, are those of {@link localDays}.
 */
export const SPAN = `(select ($1::date)::timestamp at time zone z as begins,
    ($2::date + 1)::timestamp at time zone z as ends
  from (select $3::text as z) zone) span`

/** Returns the parameters of {@link SPAN}. */
export const localDays = ({ from, to, timeZone }: LocalDays) => [from, to, timeZone]
