import type pg from 'pg'
import { expect } from 'vitest'

type Pool = Pick<pg.Pool, 'connect' | 'query'>

/**
 * Runs `during` in a transaction that begins with a statement, and commits it. Kinora needs `lockTimeoutMs: 0`, or what
 * waits for the locks of the statement fails on a busy machine.
 */
export async function whileLocked<T>(
  pool: Pool,
  [sql, values]: readonly [string, readonly string[]],
  during: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin; set local idle_in_transaction_session_timeout = 0')
    await client.query(sql, [...values])
    const result = await during(client)
    await client.query('commit')
    return result
  } finally {
    // A transaction that a failure left open would block the end of the test, too.
    client.release(true)
  }
}

/** Returns the number of statements that wait for a lock. */
export const countBlocked = async (pool: Pool): Promise<number> =>
  (await pool.query("select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"))
    .rowCount!

/** Resolves when so many statements wait for a lock. */
export const blocked = (pool: Pool, count: number) => expect.poll(() => countBlocked(pool)).toBe(count)
