import type pg from 'pg'

/**
 * Runs `work` in a transaction on a connection of the pool. Rolls back if it throws, and closes a connection that cannot.
 * @example await inTransaction(pool, (client) => client.query('delete from ledger_chunk'))
 */
export async function inTransaction<T>(
  pool: Pick<pg.Pool, 'connect'>,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure
    })
    throw error
  } finally {
    client.release(broken)
  }
}
