import type pg from 'pg'

type Query = (sql: unknown, ...rest: unknown[]) => Promise<unknown>

/**
 * Closes a connection whose rollback fails, which rolls back as well, and reports success. The ORM does not return a
 * connection to the pool after a failed rollback, so each connection lost during a transaction would block the pool for
 * good.
 */
export function endFailedRollbacks(pool: pg.Pool): void {
  pool.on('connect', (client: pg.PoolClient & { connection?: pg.Connection }) => {
    const query = client.query.bind(client) as Query
    const guarded: Query = (sql, ...rest) => {
      const result = query(sql, ...rest)
      if (sql !== 'rollback') return result
      return result.catch(() => {
        client.connection?.stream.destroy()
        return { command: 'ROLLBACK', rowCount: null, rows: [] }
      })
    }
    client.query = guarded as typeof client.query
  })
}
