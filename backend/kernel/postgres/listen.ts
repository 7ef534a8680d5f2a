import { once } from 'node:events'
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

/** Connections of this process by the address of the database. */
const connections = new Map<string, SharedConnection>()

/**
 * Listens on a channel until the signal aborts. Reconnects with backoff. All channels of a database share one dedicated
 * connection, because each commit that notifies wakes every connection that listens, whatever its channel.
 */
export async function listen(
  connection: pg.ClientConfig,
  channel: string,
  signal: AbortSignal,
  listener: Listener,
): Promise<void> {
  const { connectionString, host, port, user, database, application_name } = connection
  const address = JSON.stringify([connectionString, host, port, user, database, application_name])
  const shared = connections.get(address) ?? new SharedConnection(connection)
  connections.set(address, shared)
  const subscription = shared.add(channel, listener)
  if (!signal.aborted) await once(signal, 'abort')
  if (shared.isLast(subscription)) connections.delete(address)
  await shared.remove(subscription)
}

interface Subscription extends Listener {
  readonly channel: string
  /** Connection on which the channel is listened to. */
  client?: pg.Client
}

class SharedConnection {
  readonly #config: pg.ClientConfig
  readonly #subscriptions = new Set<Subscription>()
  readonly #closed = new AbortController()
  #client: pg.Client | undefined
  readonly #running: Promise<void>

  constructor(config: pg.ClientConfig) {
    this.#config = config
    this.#running = this.#run()
  }

  add(channel: string, listener: Listener): Subscription {
    const subscription: Subscription = { channel, ...listener }
    this.#subscriptions.add(subscription)
    const client = this.#client
    // A failure ends the connection, and the next one listens again.
    if (client) this.#begin(client, subscription).catch(() => destroyClient(client))
    return subscription
  }

  isLast(subscription: Subscription): boolean {
    return this.#subscriptions.size === 1 && this.#subscriptions.has(subscription)
  }

  /** Closes the connection after the last subscription. */
  async remove(subscription: Subscription): Promise<void> {
    this.#subscriptions.delete(subscription)
    if (this.#subscriptions.size > 0) return
    this.#closed.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed
    for (let attempt = 0; !signal.aborted; attempt++) {
      const connected = () => {
        attempt = 0
      }
      await this.#connectOnce(connected).catch(() => {})
      await pause(backoff(attempt, { max: 1_000 }), signal)
    }
  }

  async #connectOnce(connected: () => void): Promise<void> {
    const client = new pg.Client({ ...this.#config, keepAlive: true, connectionTimeoutMillis: QUERY_TIMEOUT_MS })
    const ended = new AbortController()
    const end = () => ended.abort()
    client.on('notification', ({ channel, payload }) => {
      for (const each of this.#subscriptions) if (each.channel === channel) each.onNotification(payload)
    })
    client.on('error', end).on('end', end)
    const over = AbortSignal.any([this.#closed.signal, ended.signal])
    try {
      await client.connect()
      this.#client = client
      for (const subscription of this.#subscriptions) await this.#begin(client, subscription)
      connected()
      while (!over.aborted) {
        await pause(PING_INTERVAL_MS, over)
        // A connection that only receives would not notice a dead server.
        if (!over.aborted) await query(client, 'select 1')
      }
    } finally {
      this.#client = undefined
      await destroyClient(client)
    }
  }

  async #begin(client: pg.Client, subscription: Subscription): Promise<void> {
    if (subscription.client === client) return
    subscription.client = client
    await query(client, `listen ${subscription.channel}`)
    subscription.onListening()
  }
}

const query = (client: pg.Client, text: string) =>
  client.query({ text, query_timeout: QUERY_TIMEOUT_MS } as pg.QueryConfig)

/** Ends a connection. Destroys its socket if the server does not answer within half a second. */
export async function destroyClient(client: pg.Client): Promise<void> {
  await Promise.race([client.end().catch(() => {}), delay(500, undefined, { ref: false })])
  client.connection.stream.destroy()
}
