import type pg from 'pg'
import { pause } from '../../backoff.ts'
import { listen } from '../../postgres/listen.ts'
import { eventChannel } from './postgresEventStore.sql.ts'

/**
 * Wakes subscriptions when new events may be available: after the store's own appends, and on notifications, which all
 * subscriptions of a store receive over one LISTEN connection. Notifications are lost while it is down, so a reconnect
 * also wakes subscriptions, and every wait ends after a safety interval.
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

  /** Number of wake-ups so far. Read it before the log, so that no wake-up is missed. */
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

  /** Waits for a wake-up after `count`, at most `safetyInterval` milliseconds. Ends early when the signal aborts. */
  async after(count: number, signal: AbortSignal, safetyInterval = 5000): Promise<void> {
    if (this.#count === count) await pause(safetyInterval, AbortSignal.any([signal, this.#next.signal]))
  }

  async close(): Promise<void> {
    this.#closed.abort()
    this.wake()
    await this.#listening
  }
}
