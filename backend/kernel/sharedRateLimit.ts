import type pg from 'pg'
import { Rejection } from './eventsourcing/pure/decider.ts'
import type { Change, Changes } from './postgres/changes.ts'
import { notify } from './postgres/notify.ts'
import type { Clock } from './time.ts'

const WINDOW_MS = 60_000
/** Name of the notification that carries counts. */
const CALLS = 'countedCalls'
/** Keys per notification. Postgres limits one to 8,000 bytes. */
const KEYS_PER_NOTE = 100
/** Share of the limit below which a process keeps the count of a key to itself. */
const NEGLIGIBLE = 20

type Counts = readonly (readonly [key: string, count: number])[]
type Note = Readonly<{ name: typeof CALLS; ids: readonly []; from: string; window: number; counts: Counts }>

const isNote = (change: Change): change is Note => change.name === CALLS

/**
 * Creates a rate limiter that counts calls per key in fixed windows of a minute. Takes no time: counts are in memory,
 * and {@link RateLimit.exchange} adds those of other processes. See docs/decisions/0031-limits-per-process.md.
 * @example const limit = createRateLimit(60); limit.take(userId)
 */
export function createRateLimit(perMinute: number, clock: Clock = Date.now) {
  const id = crypto.randomUUID()
  let window = -1
  const counts = new Map<string, { own: number; sent: number; others: number }>()

  const countOf = (key: string) => {
    const now = Math.floor(clock() / WINDOW_MS)
    if (now !== window) counts.clear()
    window = now
    const count = counts.get(key) ?? { own: 0, sent: 0, others: 0 }
    counts.set(key, count)
    return count
  }

  const secondsLeft = () => Math.ceil(((window + 1) * WINDOW_MS - clock()) / 1000)

  return {
    perMinute,

    /** Counts a call. @throws Rejection too_many_requests, with `retryAfter` in seconds */
    take(key: string): void {
      const count = countOf(key)
      count.own++
      if (count.own + count.others > perMinute)
        throw new Rejection('too_many_requests', 'Too many requests. Please wait a moment.', {
          retryAfter: secondsLeft(),
        })
    },

    /** Returns how many calls of a key are left in the current window, and the seconds until it ends. */
    left(key: string): { calls: number; seconds: number } {
      const { own, others } = countOf(key)
      return {
        calls: Math.max(0, perMinute - own - others),
        seconds: secondsLeft(),
      }
    },

    /** Returns what other processes have to know about the current window. Each call is returned once. */
    news(): Note[] {
      const news = [...counts].filter(([, { own, sent }]) => own > sent && own >= perMinute / NEGLIGIBLE)
      const changes = news.map(([key, count]) => {
        const change = [key, count.own - count.sent] as const
        count.sent = count.own
        return change
      })
      const notes = Math.ceil(changes.length / KEYS_PER_NOTE)
      return Array.from({ length: notes }, (_, n) => {
        const part = changes.slice(n * KEYS_PER_NOTE, (n + 1) * KEYS_PER_NOTE)
        return { name: CALLS, ids: [], from: id, window, counts: part }
      })
    },

    /** Adds the calls that another process counted in the current window. */
    hear(note: Note): void {
      if (note.from === id || note.window !== Math.floor(clock() / WINDOW_MS)) return
      for (const [key, count] of note.counts) countOf(key).others += count
    },
  }
}

export type RateLimit = ReturnType<typeof createRateLimit>

const EXCHANGE_EVERY_MS = 1_000

/** Exchanges the counts of a limit with the other processes every second. Returns a function that stops it. */
export function exchangeCounts(limit: RateLimit, changes: Pick<Changes, 'subscribe'>, pool: pg.Pool): () => void {
  const unsubscribe = changes.subscribe((change) => {
    if (isNote(change)) limit.hear(change)
  })
  const timer = setInterval(() => {
    // A lost notification makes the limit less strict for a minute.
    const news = limit.news()
    if (news.length > 0) notify(pool, ...news).catch(() => {})
  }, EXCHANGE_EVERY_MS)
  return () => {
    clearInterval(timer)
    unsubscribe()
  }
}
