import type { EntityManager } from '@mikro-orm/postgresql'
import { textHash } from '../eventsourcing/pure/eventHash.ts'
import { must } from '../must.ts'
import type { Database } from './orm.ts'

export type { Database }

/** Parameters of a statement, in which their placeholders are `$1`, `$2` and so on. */
type Values = readonly unknown[]

/**
 * Runs a statement and returns its rows, with times as Postgres formats them. Within a transaction of the ORM, takes its
 * entity manager. Parameters are sent as literals, so that each has the type that its place expects. See
 * docs/decisions/0065-one-door-to-sql.md.
 * @example await query<{ id: string }>(database, 'select id from invoice where sale_id = $1', [saleId])
 */
export async function query<Row extends object>(
  on: Database | Pick<EntityManager, 'execute'>,
  sql: string,
  values: Values = [],
): Promise<Row[]> {
  const ordered: unknown[] = []
  // The ORM knows only `?`.
  const statement = sql.replace(/\$(\d+)/g, (_, number: string) => {
    ordered.push(values[Number(number) - 1])
    return '?'
  })
  return ('em' in on ? on.em.fork() : on).execute<Row[]>(statement, ordered)
}

/** Runs a statement that returns exactly one row. */
export const queryOne = async <Row extends object>(...statement: Parameters<typeof query>): Promise<Row> =>
  must((await query<Row>(...statement))[0], 'row')

/** Names of the statements that were prepared once, by their text. */
const names = new Map<string, string>()

function nameOf(text: string): string {
  const name = textHash(text).slice(0, 32)
  names.set(text, name)
  return name
}

/**
 * Returns a frequent statement for a pool, which parses and plans it once per connection. Its text is a constant, and the types of its
 * parameters follow from it. @example await pool.query(prepared('select text from note where id = $1', [id]))
 */
export const prepared = (text: string, values: Values) => ({
  ...{ name: names.get(text) ?? nameOf(text), text },
  values: [...values],
})

/**
 * Runs a frequent statement, parsed and planned once per connection. Its text is a constant, and the types of its
 * parameters follow from it. Times are instances of Date. Without connections for prepared statements, runs as {@link query} does.
 */
export async function queryPrepared<Row extends object>(
  database: Database,
  text: string,
  values: Values,
): Promise<Row[]> {
  if (!database.prepared) return query(database, text, values)
  const { rows } = await database.prepared.query(prepared(text, values))
  return rows as Row[]
}
