import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { backoff, pause } from '../backoff.ts'

const PING_INTERVAL_MS = 2_000
const QUERY_TIMEOUT_MS = 3_000

interface Listener {
  readonly onNotification: (payload: string | undefined) => void
  /** Called each time the connection starts receiving notifications. Earlier notifications are lost. */
  readonly onListening: () => void
}

/** Listens on a channel over a dedicated connection until the signal aborts. Reconnects with backoff. */
export async function listen(
  connection: pg.ClientConfig,
  channel: string,
  signal: AbortSignal,
  { onNotification, onListening }: Listener,
): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt++) {
    const connected = () => {
      attempt = 0
      onListening()
    }
    await listenOnce(connection, channel, signal, { onNotification, onListening: connected }).catch(() => {})
    await pause(backoff(attempt, { max: 1_000 }), signal)
  }
}

async function listenOnce(
  connection: pg.ClientConfig,
  channel: string,
  signal: AbortSignal,
  { onNotification, onListening }: Listener,
): Promise<void> {
  const client = new pg.Client({ ...connection, keepAlive: true, connectionTimeoutMillis: QUERY_TIMEOUT_MS })
  const ended = new AbortController()
  const end = () => ended.abort()
  client.on('notification', ({ payload }) => onNotification(payload))
  client.on('error', end).on('end', end)
  const over = AbortSignal.any([signal, ended.signal])
  const query = (text: string) => client.query({ text, query_timeout: QUERY_TIMEOUT_MS } as pg.QueryConfig)
  try {
    await client.connect()
    await query(`listen ${channel}`)
    onListening()
    while (!over.aborted) {
      await pause(PING_INTERVAL_MS, over)
      // A connection that only receives would not notice a dead server.
      if (!over.aborted) await query('select 1')
    }
  } finally {
    await destroyClient(client)
  }
}

/** Ends a connection. Destroys its socket if the server does not answer within half a second. */
export async function destroyClient(client: pg.Client): Promise<void> {
  await Promise.race([client.end().catch(() => {}), delay(500, undefined, { ref: false })])
  client.connection.stream.destroy()
}
