import type { MikroORM } from '@mikro-orm/core'
import type { EntityManager, PostgreSqlDriver } from '@mikro-orm/postgresql'

export type Database = MikroORM<PostgreSqlDriver, EntityManager>
type Parameters = Readonly<Record<string, unknown>>

/**
 * Runs a statement with named parameters and returns its rows.
 * @example await query<{ id: string }>(database, 'select id from invoice where sale_id = :saleId', { saleId })
 */
export async function query<Row>(database: Database, sql: string, parameters: Parameters = {}): Promise<Row[]> {
  const values: unknown[] = []
  // A single colon starts a parameter name; a double colon is a cast.
  const statement = sql.replace(/(::?)([a-zA-Z]+)/g, (whole, colons: string, name: string) => {
    if (colons === '::') return whole
    values.push(parameters[name])
    return '?'
  })
  return database.em.fork().execute<Row[]>(statement, values)
}

/** Runs a statement that returns exactly one row. */
export async function queryOne<Row>(database: Database, sql: string, parameters?: Parameters): Promise<Row> {
  return (await query<Row>(database, sql, parameters))[0]!
}

/** `page` counts from 1. */
export type Page = Readonly<{ page: number; perPage: number }>

/** `row`: SQL expression for a row as JSON. `from`: FROM and WHERE clauses, without the leading keyword. */
type PageQuery = Readonly<{ row: string; from: string; orderBy: string }>

/** Returns one page of rows and the total count. */
export async function queryPage<Row>(
  database: Database,
  { row, from, orderBy }: PageQuery,
  parameters: Parameters,
  { page, perPage }: Page,
): Promise<{ rows: Row[]; total: number }> {
  const paged = `select ${row} as row from ${from} order by ${orderBy} limit :perPage offset :offset`
  const found = await query<{ row: Row }>(database, paged, { ...parameters, perPage, offset: (page - 1) * perPage })
  const count = `select count(*)::int as total from ${from}`
  const { total } = await queryOne<{ total: number }>(database, count, parameters)
  return { rows: found.map(({ row }) => row), total }
}

/** A period of calendar days in a time zone. `from` and `to` are inclusive and formatted as YYYY-MM-DD. */
export type LocalDays = Readonly<{ from: string; to: string; timeZone: string }>

/** SQL subquery that selects the bounds of a {@link LocalDays} period: `begins` (inclusive) and `ends` (exclusive). */
export const SPAN = `(select (:from::date)::timestamp at time zone z as begins,
    (:to::date + 1)::timestamp at time zone z as ends
  from (select :timeZone::text as z) zone) span`
