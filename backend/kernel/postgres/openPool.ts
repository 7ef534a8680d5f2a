import pg from 'pg'

/**
 * Opens a pool that survives a restart of its server. Errors of idle connections go to `onLost`, including those of
 * connections that are being closed, which the pool itself does not handle.
 * @example const pool = openPool({ connectionString }, (error) => log.warn({ err: error }, 'connection lost'))
 */
export function openPool(config: pg.PoolConfig, onLost: (error: Error) => void = () => {}): pg.Pool {
  const pool = new pg.Pool(config)
  return pool.on('error', onLost).on('connect', (client) => client.on('error', onLost))
}
