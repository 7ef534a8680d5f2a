import type { MikroORM } from '@mikro-orm/core'
import type { EntityManager, PostgreSqlDriver } from '@mikro-orm/postgresql'
import { textHash } from '#backend/kernel/eventsourcing/pure/eventHash.ts'

export type Database = MikroORM<PostgreSqlDriver, EntityManager>

type Parameters = Readonly<Record<string, unknown>>

/** A single colon starts a parameter name; a double colon is a cast. */
const PARAMETER = /(::?)([a-zA-Z]+)/g

/**
 * Runs a statement with named parameters and returns its rows.
 * @example await query<{ id: string }>(database, 'select id from invoice where sale_id = :saleId', { saleId })
 */
export async function query<Row>(database: Database, sql: string, parameters: Parameters = {}): Promise<Row[]> {
  const values: unknown[] = []
  const statement = sql.replace(PARAMETER, (whole, colons: string, name: string) => {
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

/** Runs prepared statements, which the ORM cannot. */
interface Pool {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>
}
const pools = new WeakMap<Database, Pool>()

/** Makes {@link queryPrepared} use a pool of connections to the same database. */
export const prepareOn = (database: Database, pool: Pool): void => void pools.set(database, pool)

/** Statements that were prepared once, by their text with named parameters. */
const prepared = new Map<string, { readonly name: string; readonly text: string; readonly names: readonly string[] }>()

function prepare(sql: string) {
  const names: string[] = []
  const text = sql.replace(PARAMETER, (whole, colons: string, name: string) => {
    if (colons === '::') return whole
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  const statement = { name: textHash(text).slice(0, 32), text, names }
  prepared.set(sql, statement)
  return statement
}

/**
 * Runs a frequent statement as {@link query} does, parsed and planned once per connection. Its text is a constant, and the
 * types of its parameters follow from it. Without a pool for the database, it is an ordinary statement.
 */
export async function queryPrepared<Row>(database: Database, sql: string, parameters: Parameters): Promise<Row[]> {
  const pool = pools.get(database)
  if (!pool) return query(database, sql, parameters)
  const { name, text, names } = prepared.get(sql) ?? prepare(sql)
  const { rows } = await pool.query({ name, text, values: names.map((each) => parameters[each]) })
  return rows as Row[]
}

/** `page` counts from 1. */
export type Page = Readonly<{ page: number; perPage: number }>

/** `from`: FROM and WHERE clauses, without the leading keyword. */
type PageQuery = Readonly<{ columns: string; from: string; orderBy: string }>

/** Returns one page of rows and the total count, in one statement. Only the rows of the page are formatted as JSON. */
export async function queryPage<Row>(
  database: Database,
  { columns, from, orderBy }: PageQuery,
  parameters: Parameters,
  { page, perPage }: Page,
): Promise<{ rows: Row[]; total: number }> {
  const paged = `select ${columns} from ${from} order by ${orderBy} limit :perPage offset :offset`
  const sql = `select (select coalesce(json_agg(page), '[]') from (${paged}) page) as rows,
    (select count(*)::int from ${from}) as total`
  const values = { ...parameters, perPage, offset: (page - 1) * perPage }
  return (await queryPrepared<{ rows: Row[]; total: number }>(database, sql, values))[0]!
}

/** A period of calendar days in a time zone. `from` and `to` are inclusive and formatted as YYYY-MM-DD. */
export type LocalDays = Readonly<{ from: string; to: string; timeZone: string }>

/** SQL subquery that selects the bounds of a {@link LocalDays} period: `begins` (inclusive) and `ends` (exclusive). */
export const SPAN = `(select (:from::date)::timestamp at time zone z as begins,
    (:to::date + 1)::timestamp at time zone z as ends
  from (select :timeZone::text as z) zone) span`
