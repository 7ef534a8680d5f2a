import pg from 'pg'
import { backoff, pause } from '../../backoff.ts'
import type { EncodedEvent } from '../encodeEvents.ts'
import {
  type Appended,
  AppendOutcomeUnknown,
  ConcurrencyConflict,
  type Expected,
  type Stored,
  StoreUnavailable,
} from '../eventStore.port.ts'
import type { LogTail } from './logTail.ts'
import { appendListSql, appendSetSql, toGlobalPosition } from './postgresEventStore.sql.ts'

interface Append {
  readonly stream: string
  readonly expected: Expected
  readonly events: readonly EncodedEvent[]
}

/** Appends that are stored together or not at all. */
interface Pending {
  readonly appends: readonly Append[]
  resolve(appended: readonly Appended[]): void
  reject(error: unknown): void
}

interface ResultRow {
  readonly stored: boolean
  readonly revision: string | number
  readonly position: string | number | null
}

/** What was stored after a position, in order. */
interface Listed {
  readonly rows: readonly ResultRow[]
  readonly after: number
  readonly events: () => readonly Stored[]
}

const MAX_APPENDS = 200
const MAX_BYTES = 4_000_000
/** Statements in flight: Postgres parses one while it stores the other. */
const MAX_STATEMENTS = 2
/** Number of waiting appends that are worth a second statement. */
const WORTH_A_STATEMENT = 4
/** Milliseconds after which an append is not retried: longer than a connection reset, no longer than a lock timeout. */
const RETRY_MS = 3_000
const QUERY_TIMEOUT_MS = 8_000

/**
 * Sends appends to Postgres with group commit: those that arrive while a commit is in flight share the next statement.
 * Without load, appends are sent immediately.
 */
export class PostgresAppends {
  readonly #pool: pg.Pool
  readonly #tail: Pick<LogTail, 'add' | 'announce'>
  #pending: Pending[] = []
  readonly #drains = new Set<Promise<void>>()
  /** Drains that still look for appends. */
  #active = 0
  readonly #streamsInFlight = new Set<string>()

  /** @param tail is notified of what was stored */
  constructor(pool: pg.Pool, tail: Pick<LogTail, 'add' | 'announce'>) {
    this.#pool = pool
    this.#tail = tail
  }

  /** Stores the appends, which are to distinct streams, together or not at all. */
  append(appends: readonly Append[]): Promise<readonly Appended[]> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ appends, resolve, reject })
      if (this.#active < (this.#pending.length < WORTH_A_STATEMENT ? 1 : MAX_STATEMENTS)) this.#start()
    })
  }

  get isSending(): boolean {
    return this.#active > 0
  }

  /** Resolves when no append is in flight. */
  async settled(): Promise<void> {
    await Promise.all(this.#drains)
  }

  #start(): void {
    this.#active += 1
    const drain = this.#drain().finally(() => this.#drains.delete(drain))
    this.#drains.add(drain)
  }

  async #drain(): Promise<void> {
    // Appends of the same turn share the statement.
    await undefined
    for (let batch = this.#takeBatch(); batch.length > 0; batch = this.#takeBatch()) {
      const streams = batch.flatMap(({ appends }) => appends.map(({ stream }) => stream))
      for (const stream of streams) this.#streamsInFlight.add(stream)
      await this.#send(batch)
      for (const stream of streams) this.#streamsInFlight.delete(stream)
    }
    // What is left waits for streams of the other drain, which looks again after its statement.
    this.#active -= 1
  }

  /** Takes at most one append per stream, because a statement reads each stream once. The rest keep their order. */
  #takeBatch(): Pending[] {
    const batch: Pending[] = []
    const rest: Pending[] = []
    const streams = new Set(this.#streamsInFlight)
    let bytes = 0
    for (const pending of this.#pending) {
      const full = batch.length >= MAX_APPENDS || bytes >= MAX_BYTES
      const target = full || pending.appends.some(({ stream }) => streams.has(stream)) ? rest : batch
      target.push(pending)
      for (const { stream, events } of pending.appends) {
        streams.add(stream)
        if (target === batch) for (const event of events) bytes += event.bytes
      }
    }
    this.#pending = rest
    return batch
  }

  async #send(batch: readonly Pending[]): Promise<void> {
    try {
      const listed = await this.#storeList(batch.flatMap(({ appends }) => appends))
      const rows = listed?.rows ?? (await this.#query<ResultRow>(appendSetSql, toSet(batch)))
      const last = Math.max(...rows.map(({ position }) => Number(position)))
      let first = 0
      for (const pending of batch) {
        settle(pending, rows.slice(first, first + pending.appends.length))
        first += pending.appends.length
      }
      if (listed) this.#tail.add(listed.after, last, listed.events)
      else this.#tail.announce(last)
    } catch (error) {
      // Send each of them on its own, so that only the rejected one fails.
      if (batch.length > 1 && isRejected(error)) for (const pending of batch) await this.#send([pending])
      else for (const { appends, reject } of batch) reject(errorOf(appends[0]!, error))
    }
  }

  /** Stores appends that all fit. Returns undefined if they must be judged one by one. */
  async #storeList(appends: readonly Append[]): Promise<Listed | undefined> {
    if (appends.some(({ expected }) => expected === 'any')) return undefined
    const result = await this.#query<{ head: string | null; created: Date }>(appendListSql, toList(appends)).then(
      ([row]) => row!,
      (error) => {
        // No server of this release has started on the database yet.
        if (error.code === UNDEFINED_FUNCTION) return undefined
        throw error
      },
    )
    if (!result?.head) return undefined
    const { created } = result
    const after = Number(result.head)
    let position = after
    const rows = appends.map(({ expected, events }) => {
      position += events.length
      return { stored: true, revision: lastRevision(expected)! + events.length, position }
    })
    return { rows, after, events: () => toStoredAfter(after, appends, created) }
  }

  /** Retries after a lost connection. The events may already be stored, but their ids make the retry idempotent. */
  async #query<R extends pg.QueryResultRow>(
    statement: { name: string; text: string },
    json: string,
  ): Promise<readonly R[]> {
    const begun = performance.now()
    const query = { ...statement, values: [json], query_timeout: QUERY_TIMEOUT_MS }
    for (let attempt = 1, mayBeStored = false; ; attempt++) {
      try {
        return (await this.#pool.query<R>(query)).rows
      } catch (error) {
        if (isRejected(error)) throw error
        mayBeStored ||= !isAborted(error)
        if (performance.now() - begun >= RETRY_MS) {
          const Unavailable = mayBeStored ? AppendOutcomeUnknown : StoreUnavailable
          throw new Unavailable('append', { cause: error })
        }
        await pause(backoff(attempt))
      }
    }
  }
}

/** Returns the events of appends as the table has them, from the position `after`. */
function toStoredAfter(after: number, appends: readonly Append[], created: Date): Stored[] {
  let position = after
  return appends.flatMap(({ stream, expected, events }) => {
    const first = lastRevision(expected)! + 1
    return events.map(({ id, type, data, meta }, n) => ({
      ...{ id, type, stream, created, revision: first + n, position: toGlobalPosition(++position) },
      ...{ data: JSON.parse(data), meta: JSON.parse(meta) },
    }))
  })
}

const UNDEFINED_FUNCTION = '42883'

/** SQLSTATEs of conflicts, full disks, lock and statement timeouts and read-only databases: nothing was stored. */
const ABORTED = /^(40|53|55P03|57014|25006)/

const isAborted = (error: unknown): boolean => error instanceof pg.DatabaseError && ABORTED.test(error.code ?? '')

/** Returns whether Postgres rejected the statement. Other errors, such as a lost connection, are transient. */
export function isRejected(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !isAborted(error) && !/^(08|57P)/.test(error.code ?? '')
}

/** Returns the revision that a stream must be at; -1 if it must not exist, null for any. */
const lastRevision = (expected: Expected): number | null =>
  expected === 'any' ? null : expected === 'no_stream' ? -1 : expected

/** Embeds the encoded JSON of events unchanged, which avoids parsing and serialising it again. */
function toSet(batch: readonly Pending[]): string {
  const texts = batch.flatMap(({ appends }, together) =>
    appends.map(({ stream, expected, events }) => {
      const each = events.map(
        ({ id, type, data, meta }) => `{"id":"${id}","type":${JSON.stringify(type)},"data":${data},"meta":${meta}}`,
      )
      const group = appends.length > 1 ? `,"together":${together}` : ''
      return `{"stream":${JSON.stringify(stream)},"expected":${lastRevision(expected)}${group},"events":[${each.join()}]}`
    }),
  )
  return `[${texts.join()}]`
}

function toList(appends: readonly Append[]): string {
  const texts = appends.flatMap(({ stream, expected, events }) => {
    const last = lastRevision(expected)!
    const name = JSON.stringify(stream)
    return events.map(({ id, type, data, meta }, index) => {
      const before = index === 0 && last >= 0 ? `,"e":${last}` : ''
      const place = `"s":${name},"r":${last + 1 + index}${before}`
      return `{${place},"id":"${id}","t":${JSON.stringify(type)},"d":${data},"m":${meta}}`
    })
  })
  return `[${texts.join()}]`
}

function settle({ appends, resolve, reject }: Pending, rows: readonly ResultRow[]): void {
  const appended = rows.map(({ stored, revision, position }) => ({
    ...{ stored, revision: Number(revision) },
    position: toGlobalPosition(position ?? 0),
  }))
  if (appended.every(({ stored }) => stored)) resolve(appended.map(({ stored: _, ...each }) => each))
  else {
    // Of several streams, name one that is at another revision rather than one that was refused along with it.
    const isElsewhere = ({ expected }: Append, n: number) =>
      !appended[n]!.stored && appended[n]!.revision !== lastRevision(expected)
    const index = Math.max(0, appends.findIndex(isElsewhere))
    const [{ stream, expected }, { revision }] = [appends[index]!, appended[index]!]
    reject(new ConcurrencyConflict(stream, expected, revision < 0 ? 'no_stream' : revision))
  }
}

function errorOf({ stream }: Append, cause: unknown): Error {
  if ((cause as pg.DatabaseError).constraint === 'event_id') {
    return new Error(`${stream}: an event with one of these ids exists already`, { cause })
  }
  return cause as Error
}
