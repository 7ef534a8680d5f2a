import pg from 'pg'

/**
 * Opens a pool that survives server restarts. Passes errors of idle connections to `onLost`, including those of closing
 * connections, which the pool itself does not handle.
 * @example const pool = openPool({ connectionString }, (error) => log.warn({ err: error }, 'connection lost'))
 */
export function openPool(config: pg.PoolConfig, onLost: (error: Error) => void = () => {}): pg.Pool {
  const pool = new pg.Pool(config)
  return pool.on('error', onLost).on('connect', (client) => client.on('error', onLost))
}
