import { limitSize } from '../../kernel/limitSize.ts'
import type { Clock } from '../../kernel/time.ts'

/** Time for which an open session is not looked up again, ms: a process that misses a notification refuses it after this. */
const KEPT_MS = 1_000
/** Time for which a session that this process ends is always looked up, ms: longer than a transaction takes. */
const ENDING_MS = 60_000
const MAX_SESSIONS = 10_000

interface OpenSession {
  readonly userId: string
  /** When it was looked up, in epoch milliseconds. */
  readonly seenAt: number
}

/**
 * Remembers open sessions for a second, so that the calls of a page look up its session once. See
 * docs/decisions/0048-sessions-are-remembered-for-a-second.md.
 */
export class OpenSessions {
  readonly #clock: Clock
  /** Sessions that this process has ended, perhaps in a transaction that is not committed, with the time until which. */
  static readonly #ending = new Map<string, number>()
  readonly #sessions = new Map<string, OpenSession>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Makes every lookup of these sessions read the database. Call it before the transaction that ends them commits. */
  static markEnding(ids: readonly string[]): void {
    const now = performance.now()
    for (const [id, until] of OpenSessions.#ending) {
      if (until > now) break
      OpenSessions.#ending.delete(id)
    }
    for (const id of ids) OpenSessions.#ending.set(id, now + ENDING_MS)
  }

  /** Returns the user of a session that was open a moment ago. */
  userOf(id: string): string | undefined {
    const known = this.#sessions.get(id)
    if (!known || OpenSessions.#ending.has(id)) return undefined
    const age = this.#clock() - known.seenAt
    return age >= 0 && age < KEPT_MS ? known.userId : undefined
  }

  add(id: string, userId: string): void {
    this.#sessions.delete(id)
    this.#sessions.set(id, { userId, seenAt: this.#clock() })
    limitSize(this.#sessions, MAX_SESSIONS)
  }

  /** Forgets sessions that another process has ended; all of them without ids. */
  forget(ids?: readonly string[]): void {
    if (!ids) this.#sessions.clear()
    else for (const id of ids) this.#sessions.delete(id)
  }
}
