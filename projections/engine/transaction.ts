import { textHash } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import type { Database } from './query.ts'

interface Statement {
  /** Undefined for a statement that is not prepared. */
  readonly name?: string
  readonly text: string
}

interface Client {
  query(text: string): Promise<unknown>
  query(statement: Statement & { values: unknown[] }): Promise<{ rows: unknown[] }>
  on(event: 'error', listener: () => void): unknown
  off(event: 'error', listener: () => void): unknown
  release(failed?: Error): void
}
interface Connections {
  connect(): Promise<Client>
}

/** Statements of one transaction. Those that do not wait for each other go to the server together. */
export interface Transaction {
  /** Returns the rows of a statement. Values replace its question marks, in order. */
  execute<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>
  /** Sends a statement without waiting for it. If it fails, the transaction does. */
  send(sql: string, values?: readonly unknown[]): void
}

/**
 * Begins without sequential scans, because a prepared plan outlives the empty tables for which it was made. Statements
 * that no index serves still scan.
 */
const BEGIN = 'begin; set local enable_seqscan = off'

const ignore = () => {}

/** Maximum number of prepared texts. Every connection keeps a plan of each; texts beyond are planned each time. */
const MAX_PREPARED = 200

const pools = new WeakMap<Database, () => Connections | undefined>()

/** Makes {@link inTransaction} use these connections to the same database. Without them, the ORM runs its statements. */
export const transactOn = (database: Database, pool: () => Connections | undefined): void =>
  void pools.set(database, pool)

/** Prepared statements by their text with question marks. */
const prepared = new Map<string, Statement>()

function prepare(sql: string): Statement {
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
  const pool = pools.get(database)?.()
  /** The answers of all statements, in order. */
  const sent: Promise<unknown>[] = []
  const track = <Answer>(answer: Promise<Answer>) => {
    answer.catch(ignore)
    sent.push(answer)
    return answer
  }
  if (!pool)
    return database.em.fork().transactional(async (em) => {
      const execute = (sql: string, values: readonly unknown[] = []) =>
        track(em.execute(sql, [...values]) as Promise<never>)
      const result = await work({ execute, send: (...statement) => void execute(...statement) })
      await Promise.all(sent)
      return result
    })
  const client = await pool.connect()
  const execute = async <Row extends object>(sql: string, values: readonly unknown[] = []) => {
    const { rows } = await track(client.query({ ...(prepared.get(sql) ?? prepare(sql)), values: [...values] }))
    return rows as Row[]
  }
  // An error between two statements is that of the next one.
  client.on('error', ignore)
  try {
    track(client.query(BEGIN))
    const result = await work({ execute, send: (...statement) => void execute(...statement).catch(ignore) })
    // The server rolls back if a statement before this one failed.
    track(client.query('commit'))
    await Promise.all(sent)
    client.off('error', ignore)
    client.release()
    return result
  } catch (error) {
    const failed = await client.query('rollback').then(
      () => undefined,
      (failure: Error) => failure,
    )
    client.off('error', ignore)
    client.release(failed)
    throw await causeOf(error, sent)
  }
}

/** Returns the error of the first statement that failed if `error` is one of a statement: later ones only say that one did. */
async function causeOf(error: unknown, answers: readonly Promise<unknown>[]): Promise<unknown> {
  const failures = (await Promise.allSettled(answers)).filter(({ status }) => status === 'rejected')
  const reasons = failures.map((failure) => (failure as PromiseRejectedResult).reason)
  return reasons.includes(error) ? reasons[0] : error
}
