import type pg from 'pg'
import { backoff, pause } from '../../backoff.ts'
import { encodeEvents } from '../encodeEvents.ts'
import {
  type Appended,
  type EventBatch,
  type EventStore,
  type Expected,
  type GlobalPosition,
  NEWEST_AMONG,
  type NewEvent,
  type Stored,
  StoreUnavailable,
  type StreamAppend,
  type SubscribeFilter,
  type SubscribeOptions,
} from '../eventStore.port.ts'
import type { Event } from '../pure/decider.ts'
import { eventsAfter, LogTail, readHead } from './logTail.ts'
import { isRejected, PostgresAppends } from './postgresAppends.ts'
import {
  type EventRow,
  installEventTableSql,
  newestSql,
  probeSql,
  readAllSql,
  toGlobalPosition,
  toStored,
} from './postgresEventStore.sql.ts'
import { StreamReads } from './streamReads.ts'

const PAGE = 500
/** Maximum positions per page. Keeps subscriptions to rare streams from scanning the whole log in one query. */
const MAX_SPAN = 20_000
const PROBE_TIMEOUT_MS = 2_000

/** Creates the event table and its append function if they are missing. Several processes may call it concurrently. */
export async function installEventTable(pool: pg.Pool): Promise<void> {
  await pool.query(installEventTableSql)
}

/**
 * Creates an event store backed by a Postgres table. The caller owns the pool and handles its errors.
 * @example
 * await installEventTable(pool)
 * const store = createPostgresEventStore(pool)
 */
export function createPostgresEventStore(pool: pg.Pool): EventStore {
  return new PostgresEventStore(pool)
}

interface Page {
  readonly events: readonly Stored[]
  /** Position up to which the page is complete. */
  readonly upTo: number
  /** Whether the page reaches the head of the log. */
  readonly live: boolean
}

class PostgresEventStore implements EventStore {
  readonly #pool: pg.Pool
  readonly #tail: LogTail
  readonly #appends: PostgresAppends
  readonly #reads: StreamReads
  readonly #closed = new AbortController()

  constructor(pool: pg.Pool) {
    this.#pool = pool
    this.#reads = new StreamReads(pool)
    this.#tail = new LogTail(pool, () => this.#appends.isSending)
    this.#appends = new PostgresAppends(pool, this.#tail)
  }

  async append(stream: string, expected: Expected, events: readonly NewEvent[]): Promise<Appended> {
    this.#closed.signal.throwIfAborted()
    const [appended] = await this.#appends.append([{ stream, expected, events: encodeEvents(stream, events) }])
    return appended!
  }

  async appendAll(appends: readonly StreamAppend[]): Promise<readonly Appended[]> {
    this.#closed.signal.throwIfAborted()
    return await this.#appends.append(
      appends.map(({ stream, expected, events }) => ({ stream, expected, events: encodeEvents(stream, events) })),
    )
  }

  async *readStream<E extends Event>(stream: string, from = 0): AsyncGenerator<Stored<E>> {
    for (let next = from; ; ) {
      const { rows, ends } = await this.#reads.page(stream, next)
      for (const row of rows) yield toStored<E>(row)
      if (ends) return
      next = Number(rows.at(-1)!.revision) + 1
    }
  }

  async *subscribeAll<E extends Event>(
    options: SubscribeOptions & { readonly onLive?: () => void },
  ): AsyncGenerator<EventBatch<E>> {
    const signal = AbortSignal.any([options.signal, this.#closed.signal])
    let at = options.from === undefined ? 0 : Number(options.from)
    let wasLive = false
    /** A subscription reads the table until it reaches the head, so that it sees the log as it is now. */
    let isAtTail = false
    /** The next page of the table, which is read while the subscriber handles the one before it. */
    let ahead: Promise<Page> | undefined
    const read = async (): Promise<Page> => {
      const page = await ahead
      // The log may have grown since.
      return page && !page.live ? page : await (isAtTail ? this.#readTail(at, options) : this.#readTable(at, options))
    }
    for (let attempt = 0; !signal.aborted; ) {
      const page = await read().catch((error) => {
        if (isRejected(error)) throw error
        return undefined
      })
      ahead = undefined
      if (signal.aborted) return
      if (!page) {
        await pause(backoff(attempt++), signal)
        continue
      }
      attempt = 0
      if (!page.live && !isAtTail) {
        ahead = this.#readTable(page.upTo, options)
        ahead.catch(() => {})
      }
      if (page.upTo > at) {
        at = page.upTo
        wasLive = false
        yield { events: page.events as readonly Stored<E>[], position: toGlobalPosition(at), live: page.live }
      }
      if (!page.live) continue
      isAtTail = true
      if (!wasLive) options.onLive?.()
      wasLive = true
      await this.#tail.changed(at, signal)
    }
  }

  async head(): Promise<GlobalPosition | undefined> {
    const head = await readHead(this.#pool)
    return head === 0 ? undefined : toGlobalPosition(head)
  }

  async newest(streamPrefixes?: readonly string[]): Promise<GlobalPosition | undefined> {
    const query = { ...newestSql, values: [streamPrefixes ?? null, NEWEST_AMONG] }
    const { rows } = await this.#pool.query<{ newest: string | null }>(query)
    const newest = rows[0]?.newest
    return newest ? toGlobalPosition(Number(newest)) : undefined
  }

  async probe(): Promise<void> {
    try {
      await this.#pool.query({ ...probeSql, query_timeout: PROBE_TIMEOUT_MS } as pg.QueryConfig)
    } catch (error) {
      throw new StoreUnavailable('event', { cause: error })
    }
  }

  async #readTable(at: number, filter: SubscribeFilter): Promise<Page> {
    this.#tail.listen()
    const head = await readHead(this.#pool)
    this.#tail.rewind(head)
    return await this.#scan(at, head, filter)
  }

  async #readTail(at: number, filter: SubscribeFilter): Promise<Page> {
    const tail = await this.#tail.current()
    if (at < tail.from) return await this.#scan(at, tail.to, filter)
    const { streamPrefixes, maxBatch = PAGE } = filter
    const matches = ({ stream }: Stored) => streamPrefixes?.some((prefix) => stream.startsWith(prefix)) ?? true
    const found = eventsAfter(tail, at).filter(matches)
    const events = found.slice(0, maxBatch)
    const upTo = found.length > maxBatch ? Number(events.at(-1)!.position) : Math.max(at, tail.to)
    return { events, upTo, live: upTo >= tail.to }
  }

  /** Reads the events after a position. Positions have no gaps, so the result is complete up to `upTo`. */
  async #scan(at: number, head: number, { streamPrefixes, maxBatch = PAGE }: SubscribeFilter): Promise<Page> {
    if (head <= at) return { events: [], upTo: at, live: true }
    const end = Math.min(head, at + MAX_SPAN)
    const values = [at, end, streamPrefixes ?? null, maxBatch]
    const { rows } = await this.#pool.query<EventRow>({ ...readAllSql, values })
    const upTo = rows.length < maxBatch ? end : Number(rows.at(-1)!.position)
    return { events: rows.map((row) => toStored(row)), upTo, live: upTo === head }
  }

  /** Ends subscriptions and waits for appends in flight. */
  async close(): Promise<void> {
    this.#closed.abort(new Error('The event store is closed'))
    await Promise.all([this.#appends.settled(), this.#tail.close()])
  }
}
