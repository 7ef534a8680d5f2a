import type pg from 'pg'
import { backoff, pause } from '../../backoff.ts'
import { listenOnce } from '../../postgres/listenOnce.ts'
import { eventChannel } from './postgresEventStore.sql.ts'

/**
 * Tells subscriptions that there may be new events: one connection that LISTENs, shared by all of a store's
 * subscriptions, plus a call from the store for what it stored itself. Notifications may be lost while the connection is
 * down, so a new connection counts as one, and nobody waits longer than the safety interval.
 */
export class PostgresWake {
  readonly #config: pg.ClientConfig
  readonly #closed = new AbortController()
  readonly #sleepers = new Set<() => void>()
  #count = 0
  #listening: Promise<void> | undefined

  constructor(config: pg.ClientConfig) {
    this.#config = config
  }

  /** Grows with each wake. Read it before looking for events, and no wake is missed. */
  get count(): number {
    this.#listening ??= this.#listen()
    return this.#count
  }

  wake = (): void => {
    this.#count++
    for (const sleeper of this.#sleepers) sleeper()
  }

  /** Until there was a wake after `count`, the signal aborts, or the safety interval is over. */
  async after(count: number, signal: AbortSignal, safetyInterval = 5000): Promise<void> {
    if (this.#count !== count || signal.aborted) return
    const woken = new AbortController()
    const sleeper = () => woken.abort()
    this.#sleepers.add(sleeper)
    signal.addEventListener('abort', sleeper, { once: true })
    await pause(safetyInterval, woken.signal)
    signal.removeEventListener('abort', sleeper)
    this.#sleepers.delete(sleeper)
  }

  async close(): Promise<void> {
    this.#closed.abort()
    this.wake()
    await this.#listening
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closed
    for (let attempt = 0; !signal.aborted; attempt++) {
      const onListening = () => {
        attempt = 0
        this.wake()
      }
      // Until it listens again, the safety interval finds the events.
      await listenOnce(this.#config, eventChannel, signal, { hear: this.wake, onListening }).catch(() => {})
      await pause(backoff(attempt), signal)
    }
  }
}
