import pg from 'pg'

/**
 * A pool that survives its server. What connections say in between queries is told to `onLost`: also of those that are being
 * closed while the server goes, to which the pool itself listens no more.
 */
export function openPool(config: pg.PoolConfig, onLost: (error: Error) => void = () => {}): pg.Pool {
  const pool = new pg.Pool(config)
  return pool.on('error', onLost).on('connect', (client) => client.on('error', onLost))
}
