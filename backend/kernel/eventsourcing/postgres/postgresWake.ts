import type pg from 'pg'
import { pause } from '../../backoff.ts'
import { listen } from '../../postgres/listen.ts'
import { eventChannel } from './postgresEventStore.sql.ts'

/**
 * Wakes subscriptions when there may be new events: on notifications of one LISTEN connection, which all subscriptions of
 * a store share, and on the store's own appends. Notifications may be lost while the connection is down, so a reconnect
 * also wakes, and every wait ends after the safety interval.
 */
export class PostgresWake {
  readonly #config: pg.ClientConfig
  readonly #closed = new AbortController()
  #next = new AbortController()
  #count = 0
  #listening: Promise<void> | undefined

  constructor(config: pg.ClientConfig) {
    this.#config = config
  }

  /** Number of wakes so far. Read it before reading the log, and no wake is missed. */
  get count(): number {
    this.#listening ??= listen(this.#config, eventChannel, this.#closed.signal, {
      onNotification: this.wake,
      onListening: this.wake,
    })
    return this.#count
  }

  wake = (): void => {
    this.#count++
    this.#next.abort()
    this.#next = new AbortController()
  }

  /** Waits for a wake after `count`, the signal, or the safety interval in milliseconds. */
  async after(count: number, signal: AbortSignal, safetyInterval = 5000): Promise<void> {
    if (this.#count === count) await pause(safetyInterval, AbortSignal.any([signal, this.#next.signal]))
  }

  async close(): Promise<void> {
    this.#closed.abort()
    this.wake()
    await this.#listening
  }
}
