import type pg from 'pg'
import { textHash } from '../eventsourcing/pure/eventHash.ts'
import { type Database, poolOf } from './orm.ts'

/** Statements of one transaction. */
export interface Transaction {
  /** Returns the rows of a statement. Values replace its question marks, in order. */
  execute<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>
}

/**
 * Begins without sequential scans, because a prepared plan outlives the empty tables for which it was made. Statements
 * that no index serves still scan.
 */
const BEGIN = 'begin; set local enable_seqscan = off'

const ignore = () => {}

/** Maximum number of prepared texts. Every connection keeps a plan of each; texts beyond are planned each time. */
const MAX_PREPARED = 200
/** Prepared statements by their text with question marks. */
const prepared = new Map<string, pg.QueryConfig>()

function prepare(sql: string): pg.QueryConfig {
  let parameters = 0
  const text = sql.replaceAll('?', () => `$${++parameters}`)
  if (prepared.size >= MAX_PREPARED) return { text }
  const statement = { name: textHash(text).slice(0, 32), text }
  prepared.set(sql, statement)
  return statement
}

/**
 * Runs frequent statements in a transaction. Each is parsed and planned once per connection, which costs more than to run
 * it, so their texts must be few. Rolls back if `work` throws.
 * @example await inTransaction(database, (tx) => tx.execute('delete from lease_token where name = ?', [name]))
 */
export async function inTransaction<T>(database: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const pool = poolOf(database)
  if (!pool)
    return database.em
      .fork()
      .transactional((em) => work({ execute: (sql, values = []) => em.execute(sql, [...values]) as Promise<never> }))
  const client = await pool.connect()
  const execute = async <Row extends object>(sql: string, values: readonly unknown[] = []) => {
    const { rows } = await client.query<Row>({ ...(prepared.get(sql) ?? prepare(sql)), values: [...values] })
    return rows
  }
  // An error between two statements is that of the next one.
  client.on('error', ignore)
  try {
    await client.query(BEGIN)
    const result = await work({ execute })
    await client.query('commit')
    client.off('error', ignore).release()
    return result
  } catch (error) {
    const failed = await client.query('rollback').then(
      () => undefined,
      (failure: Error) => failure,
    )
    client.off('error', ignore).release(failed)
    throw error
  }
}
