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
  // A name follows one colon; two colons are a cast.
  const statement = sql.replace(/(?<!:):([a-zA-Z]+)/g, (_, name: string) => {
    values.push(parameters[name])
    return '?'
  })
  return database.em.fork().execute<Row[]>(statement, values)
}

/** Runs a statement that returns exactly one row. */
export async function queryOne<Row>(database: Database, sql: string, parameters?: Parameters): Promise<Row> {
  return (await query<Row>(database, sql, parameters))[0]!
}

export interface Page {
  /** From 1. */
  readonly page: number
  readonly perPage: number
}

interface PageQuery {
  /** SQL of a row, as JSON. */
  readonly row: string
  /** Tables and condition, without `from`. */
  readonly from: string
  readonly orderBy: string
}

/** Reads one page of rows, and their total number. */
export async function queryPage<Row>(
  database: Database,
  { row, from, orderBy }: PageQuery,
  parameters: Parameters,
  { page, perPage }: Page,
): Promise<{ rows: Row[]; total: number }> {
  const paged = `select ${row} as row from ${from} order by ${orderBy} limit :perPage offset :offset`
  const found = await query<{ row: Row }>(database, paged, { ...parameters, perPage, offset: (page - 1) * perPage })
  const { total } = await queryOne<{ total: number }>(
    database,
    `select count(*)::int as total from ${from}`,
    parameters,
  )
  return { rows: found.map(({ row }) => row), total }
}
