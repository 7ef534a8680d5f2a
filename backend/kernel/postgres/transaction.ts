import { textHash } from '../eventsourcing/pure/eventHash.ts'
import type { Database } from './orm.ts'

interface Statement {
  /** Undefined for a statement that is not prepared. */
  readonly name?: string
  readonly text: string
}

/** Statements of one transaction. Those that do not wait for each other go to the server together. */
export interface Transaction {
  /** Returns the rows of a statement. Its placeholders are `$1`, `$2` and so on. */
  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>
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

/** Prepared statements by their text. */
const prepared = new Map<string, Statement>()

function prepare(text: string): Statement {
  if (prepared.size >= MAX_PREPARED) return { text }
  const statement = { name: textHash(text).slice(0, 32), text }
  prepared.set(text, statement)
  return statement
}

/**
 * Runs frequent statements in a transaction. Each is parsed and planned once per connection, which costs more than to run
 * it, so their texts must be few. Rolls back if `work` throws.
 * @example await transaction(database, (tx) => tx.query('delete from lease_token where name = $1', [name]))
 */
export async function transaction<T>(database: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  // A database opens its connections with the first statement. A double has none.
  if (!database.connections?.()) await database.isConnected?.()
  const pool = database.connections?.()
  /** The answers of all statements, in order. */
  const sent: Promise<unknown>[] = []
  const track = <Answer>(answer: Promise<Answer>) => {
    answer.catch(ignore)
    sent.push(answer)
    return answer
  }
  if (!pool)
    return database.em.fork().transactional(async (em) => {
      // A double takes the placeholders of the other branch.
      const execute = (sql: string, values: readonly unknown[] = []) =>
        track(em.execute(sql, [...values]) as Promise<never>)
      const result = await work({ query: execute, send: (...statement) => void execute(...statement) })
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
    const result = await work({ query: execute, send: (...statement) => void execute(...statement).catch(ignore) })
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
