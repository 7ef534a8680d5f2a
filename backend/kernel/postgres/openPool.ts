import pg from 'pg'

/** Milliseconds that a statement waits for a lock, so that a locked table makes requests fail instead of hang. */
export const LOCK_TIMEOUT_MS = 3_000

/** Time after which an idle session ends. A new one takes 10 ms of the server, and bursts would begin new ones each time. */
export const IDLE_SESSION_MS = 60_000

/** Sets the isolation level that all queries rely on, because a database may have another default. */
export const setIsolation = async (client: pg.ClientBase): Promise<void> => {
  await client.query('set session characteristics as transaction isolation level read committed')
}

/**
 * Opens a pool that survives server restarts. Its sessions use read committed and wait at most three seconds for a
 * lock. Passes errors of idle connections to `onLost`, including those of closing connections, which the pool itself
 * does not handle.
 * @example const pool = openPool({ connectionString }, (error) => log.warn({ err: error }, 'connection lost'))
 */
export function openPool(config: pg.PoolConfig, onLost: (error: Error) => void = () => {}): pg.Pool {
  const pool = new pg.Pool({
    ...{ lock_timeout: LOCK_TIMEOUT_MS, idleTimeoutMillis: IDLE_SESSION_MS, onConnect: setIsolation },
    ...config,
  })
  return pool.on('error', onLost).on('connect', (client) => client.on('error', onLost))
}
