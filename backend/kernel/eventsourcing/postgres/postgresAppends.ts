import pg from 'pg'
import { backoff, pause } from '../../backoff.ts'
import type { EncodedEvent } from '../encodeEvents.ts'
import {
  type Appended,
  AppendOutcomeUnknown,
  ConcurrencyConflict,
  type Expected,
  StoreUnavailable,
} from '../eventStore.port.ts'
import { appendSetSql } from './postgresEventStore.sql.ts'
import { toGlobalPosition } from './postgresRows.ts'

interface Append {
  readonly stream: string
  readonly expected: Expected
  readonly events: readonly EncodedEvent[]
}

interface PendingAppend extends Append {
  resolve(appended: Appended): void
  reject(error: unknown): void
}

interface ResultRow {
  readonly stored: boolean
  readonly revision: string
  readonly position: string | null
}

const MAX_APPENDS = 200
const MAX_BYTES = 4_000_000
/** Milliseconds after which an append is not retried: longer than a connection reset, no longer than a lock timeout. */
const RETRY_MS = 3_000
const QUERY_TIMEOUT_MS = 8_000

/**
 * Sends appends to Postgres with group commit: those that arrive while a commit is in flight share the next statement.
 * Without load, appends are sent immediately.
 */
export class PostgresAppends {
  readonly #pool: pg.Pool
  readonly #onStored: (position: number) => void
  #pending: PendingAppend[] = []
  #draining: Promise<void> | undefined

  constructor(pool: pg.Pool, onStored: (position: number) => void) {
    this.#pool = pool
    this.#onStored = onStored
  }

  append(append: Append): Promise<Appended> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ ...append, resolve, reject })
      this.#draining ??= Promise.resolve().then(() => this.#drain())
    })
  }

  /** Resolves when no append is in flight. */
  async settled(): Promise<void> {
    await this.#draining
  }

  async #drain(): Promise<void> {
    while (this.#pending.length > 0) await this.#send(this.#takeBatch())
    this.#draining = undefined
  }

  /** Takes at most one append per stream, because the statement reads each stream once. The rest keep their order. */
  #takeBatch(): PendingAppend[] {
    const batch: PendingAppend[] = []
    const rest: PendingAppend[] = []
    const streams = new Set<string>()
    let bytes = 0
    for (const append of this.#pending) {
      const full = batch.length >= MAX_APPENDS || bytes >= MAX_BYTES
      const target = full || streams.has(append.stream) ? rest : batch
      target.push(append)
      streams.add(append.stream)
      if (target === batch) bytes += append.events.reduce((sum, event) => sum + event.bytes, 0)
    }
    this.#pending = rest
    return batch
  }

  async #send(batch: readonly PendingAppend[]): Promise<void> {
    try {
      const rows = await this.#query(toJson(batch))
      for (const [index, append] of batch.entries()) settle(append, rows[index]!)
      this.#onStored(Math.max(...rows.map(({ position }) => Number(position))))
    } catch (error) {
      // Send each append on its own, so that only the rejected one fails.
      if (batch.length > 1 && isRejected(error)) for (const append of batch) await this.#send([append])
      else for (const append of batch) append.reject(errorOf(append, error))
    }
  }

  /** Retries after a lost connection. The events may already be stored, but their ids make the retry idempotent. */
  async #query(json: string): Promise<readonly ResultRow[]> {
    const begun = Date.now()
    const query = { ...appendSetSql, values: [json], query_timeout: QUERY_TIMEOUT_MS }
    for (let attempt = 1, mayBeStored = false; ; attempt++) {
      try {
        return (await this.#pool.query<ResultRow>(query)).rows
      } catch (error) {
        if (isRejected(error)) throw error
        mayBeStored ||= !isAborted(error)
        if (Date.now() - begun >= RETRY_MS) {
          const Unavailable = mayBeStored ? AppendOutcomeUnknown : StoreUnavailable
          throw new Unavailable('append', { cause: error })
        }
        await pause(backoff(attempt))
      }
    }
  }
}

/** SQLSTATEs of conflicts, full disks, lock and statement timeouts and read-only databases: nothing was stored. */
const ABORTED = /^(40|53|55P03|57014|25006)/

const isAborted = (error: unknown): boolean => error instanceof pg.DatabaseError && ABORTED.test(error.code ?? '')

/** Returns whether Postgres rejected the statement. Other errors, such as a lost connection, are transient. */
export function isRejected(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !isAborted(error) && !/^(08|57P)/.test(error.code ?? '')
}

/** Embeds the encoded JSON of events unchanged, which avoids parsing and serialising it again. */
function toJson(batch: readonly Append[]): string {
  const appends = batch.map(({ stream, expected, events }) => {
    const each = events.map(
      ({ id, type, data, meta }) => `{"id":"${id}","type":${JSON.stringify(type)},"data":${data},"meta":${meta}}`,
    )
    const revision = expected === 'any' ? null : expected === 'no_stream' ? -1 : expected
    return `{"stream":${JSON.stringify(stream)},"expected":${revision},"events":[${each.join()}]}`
  })
  return `[${appends.join()}]`
}

function settle(append: PendingAppend, { stored, revision, position }: ResultRow): void {
  const current = Number(revision)
  if (stored) append.resolve({ revision: current, position: toGlobalPosition(position!) })
  else {
    const actual = current < 0 ? 'no_stream' : current
    append.reject(new ConcurrencyConflict(append.stream, append.expected, actual))
  }
}

function errorOf({ stream }: Append, cause: unknown): Error {
  if ((cause as pg.DatabaseError).constraint === 'event_id') {
    return new Error(`${stream}: an event with one of these ids exists already`, { cause })
  }
  return cause as Error
}
