import type pg from 'pg'
import { listen } from '../../postgres/listen.ts'
import { onlyRow } from '../../postgres/onlyRow.ts'
import type { Stored } from '../eventStore.port.ts'
import { type EventRow, eventChannel, headSql, readAllSql, toStored } from './postgresEventStore.sql.ts'

/** The last events of the log: all of those after the position `from`, up to the position `to`. */
export interface Tail {
  readonly from: number
  readonly to: number
  readonly events: readonly Stored[]
}

/** Maximum number of events in memory. A subscription that is further behind reads the table itself. */
const KEPT = 1_000
const SAFETY_INTERVAL_MS = 5_000
/** Time by which the notification of an append may come before its answer. */
const ANSWER_MS = 3

/**
 * Keeps the end of the log once for all subscriptions of a store. The store's own appends are added without a read if
 * they follow what is known. Others are read on notifications, which carry the position of the last event. Notifications
 * are lost while the LISTEN connection is down, so a reconnect also causes a read, and so does a safety interval.
 */
export class LogTail {
  readonly #pool: pg.Pool
  readonly #closed = new AbortController()
  readonly #waiting = new Set<() => void>()
  #tail: Tail | undefined
  #reading: Promise<Tail> | undefined
  /** Highest position announced since the last read began. */
  #announced = Number.POSITIVE_INFINITY
  #listening: Promise<void> | undefined
  #safety: NodeJS.Timeout | undefined
  readonly #isAppending: () => boolean

  /** @param isAppending whether an append of this store is waiting for its answer */
  constructor(pool: pg.Pool, isAppending: () => boolean) {
    this.#pool = pool
    this.#isAppending = isAppending
  }

  /** Announces events up to a position. Without a position, there may be events that nobody announced. */
  announce = (position = Number.POSITIVE_INFINITY): void => {
    this.#safety?.refresh()
    if (position <= (this.#tail?.to ?? -1)) return
    this.#announced = Math.max(this.#announced, position)
    for (const wake of this.#waiting) wake()
  }

  /** Adds the events that were stored from the position `after` up to `to`. Announces them if others may be before them. */
  add(after: number, to: number, events: () => readonly Stored[]): void {
    if (this.#reading || this.#tail?.to !== after) this.announce(to)
    else {
      this.#tail = grow(this.#tail, events())
      this.#safety?.refresh()
      for (const wake of this.#waiting) wake()
    }
  }

  /** Starts to listen for appends of other processes. */
  listen(): void {
    if (this.#listening || this.#closed.signal.aborted) return
    this.#safety = setInterval(() => this.announce(), SAFETY_INTERVAL_MS)
    this.#listening = listen(this.#pool.options, eventChannel, this.#closed.signal, {
      onNotification: (text) => {
        const position = text ? Number(text) : undefined
        if (this.#isAppending()) setTimeout(() => this.announce(position), ANSWER_MS)
        else this.announce(position)
      },
      onListening: () => this.announce(),
    })
  }

  /** Forgets events after the `head` of the log: they are gone if the table was replaced by an older one. */
  rewind(head: number): void {
    if (!this.#tail || this.#tail.to <= head) return
    this.#tail = emptyTail(head)
    this.announce()
  }

  /** Returns the tail with every event announced before the call. Concurrent callers share a read. */
  async current(): Promise<Tail> {
    // A read in flight may have begun before the announcement; the one after it did not.
    await this.#reading
    if (!this.#reading && this.#tail && this.#announced <= this.#tail.to) return this.#tail
    this.#reading ??= this.#read()
    return await this.#reading
  }

  /** Waits until there may be events after the position `to`. Resolves early when the signal aborts. */
  changed(to: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      // Others may have read on, or are reading, since the caller saw the tail.
      const isBehind = this.#reading !== undefined || Math.max(this.#announced, this.#tail?.to ?? -1) > to
      if (signal.aborted || isBehind) return resolve()
      this.#waiting.add(done)
      signal.addEventListener('abort', done)
    })
  }

  async close(): Promise<void> {
    this.#closed.abort()
    clearInterval(this.#safety)
    // An append that is answered later would start it again.
    this.#safety = undefined
    for (const wake of this.#waiting) wake()
    await this.#listening
  }

  async #read(): Promise<Tail> {
    const announced = this.#announced
    this.#announced = -1
    try {
      for (;;) {
        const before = this.#tail
        const read = (before && (await this.#extend(before))) ?? emptyTail(await readHead(this.#pool))
        // After a rewind, the read may be of the table that was replaced.
        if (this.#tail !== before) continue
        this.#tail = read
        return read
      }
    } catch (error) {
      this.#announced = Math.max(announced, this.#announced)
      throw error
    } finally {
      this.#reading = undefined
    }
  }

  /** Returns undefined if the log has grown by more than fits. */
  async #extend(tail: Tail): Promise<Tail | undefined> {
    const values = [tail.to, Number.MAX_SAFE_INTEGER, null, KEPT]
    const { rows } = await this.#pool.query<EventRow>({ ...readAllSql, values })
    if (rows.length === KEPT) return undefined
    if (rows.length === 0) return tail
    const following = rows.map((row) => toStored(row))
    return grow(tail, following)
  }
}

/** Returns a tail with the events that follow it, and without the oldest if they are too many. */
function grow({ from, events }: Tail, following: readonly Stored[]): Tail {
  const kept = [...events, ...following]
  const dropped = kept.splice(0, Math.max(0, kept.length - KEPT))
  return { from: Number(dropped.at(-1)?.position ?? from), to: Number(kept.at(-1)?.position ?? from), events: kept }
}

const emptyTail = (head: number): Tail => ({ from: head, to: head, events: [] })

/** Returns the position of the last event; 0 for an empty log. */
export async function readHead(pool: pg.Pool): Promise<number> {
  return Number(onlyRow(await pool.query<{ head: string }>(headSql)).head)
}

/** Returns the events of the tail after a position, which must not be before `from`. Cost: the number of them. */
export function eventsAfter({ events }: Tail, position: number): readonly Stored[] {
  return events.slice(events.findLastIndex((event) => Number(event.position) <= position) + 1)
}
