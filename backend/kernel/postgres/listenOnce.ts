import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

const ASK_EVERY_MS = 2_000
const ANSWER_MS = 3_000

/**
 * LISTENs on a connection of its own until that is lost or the signal aborts. A connection that only listens would never
 * notice that nobody is there any more, so it asks now and then.
 * @param onListening called once notifications come
 */
export async function listenOnce(
  connection: pg.ClientConfig,
  channel: string,
  signal: AbortSignal,
  { hear, onListening }: { hear: (payload: string | undefined) => void; onListening: () => void },
): Promise<void> {
  const client = new pg.Client({ ...connection, keepAlive: true, connectionTimeoutMillis: ANSWER_MS })
  const over = new AbortController()
  const end = () => over.abort()
  client.on('notification', ({ payload }) => hear(payload))
  client.on('error', end).on('end', end)
  signal.addEventListener('abort', end, { once: true })
  const ask = (text: string) => client.query({ text, query_timeout: ANSWER_MS } as pg.QueryConfig)
  try {
    await client.connect()
    await ask(`listen ${channel}`)
    onListening()
    while (!over.signal.aborted) {
      await delay(ASK_EVERY_MS, undefined, { signal: over.signal }).catch(() => {})
      if (!over.signal.aborted) await ask('select 1')
    }
  } finally {
    signal.removeEventListener('abort', end)
    await destroyClient(client)
  }
}

/** Ends a connection, also to a server that is silent and would never agree. */
export async function destroyClient(client: pg.Client): Promise<void> {
  await Promise.race([client.end().catch(() => {}), delay(500, undefined, { ref: false })])
  ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
}
