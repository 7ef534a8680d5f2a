import { createHmac } from 'node:crypto'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { query } from '../../kernel/postgres/query.ts'
import type { Clock } from '../../kernel/time.ts'

const SWEEP_EVERY_MS = 10 * 60_000

/** Rate limit: `burst` attempts in a row, then one every `everyMs` milliseconds. */
export type Limit = Readonly<{ burst: number; everyMs: number }>

export type Throttle = ReturnType<typeof createThrottle>

/**
 * Creates a rate limiter by kind and subject (generic cell rate algorithm). Counts are stored in Postgres, so they
 * survive restarts and all API processes share them. Subjects are stored as keyed hashes. Limits refill continuously,
 * so no subject waits longer than `everyMs`.
 */
export function createThrottle(database: Database, key: Buffer, now: Clock = Date.now) {
  let sweepAt = 0
  const keyOf = (kind: string, subject: string) => createHmac('sha256', key).update(`${kind}:${subject}`).digest('hex')
  const execute = <T extends object>(sql: string, parameters: unknown[]) => query<T>(database, sql, parameters)

  return {
    /** Counts an attempt. @throws Rejection too_many_requests, with `retryAfter` in seconds */
    async take(kind: string, subject: string, { burst, everyMs }: Limit): Promise<void> {
      const at = now()
      const name = keyOf(kind, subject)
      const taken = await execute(
        `insert into throttle as t (key, used_up_to) values ($1, $2)
         on conflict (key) do update set used_up_to = greatest(t.used_up_to, $3) + $4
         where greatest(t.used_up_to, $5) + $6 <= $7 returning key`,
        [name, at + everyMs, at, everyMs, at, everyMs, at + burst * everyMs],
      )
      if (taken.length === 0) {
        const [row] = await execute<{ used_up_to: string }>('select used_up_to from throttle where key = $1', [name])
        const waitMs = Number(row?.used_up_to ?? at) - (burst - 1) * everyMs - at
        throw new Rejection('too_many_requests', 'Too many attempts. Please wait a moment and try again.', {
          retryAfter: Math.max(1, Math.ceil(waitMs / 1000)),
        })
      }
      if (at < sweepAt) return
      sweepAt = at + SWEEP_EVERY_MS
      await execute('delete from throttle where used_up_to < $1', [at])
    },

    /** Removes an attempt from the count, such as one with the correct password. */
    async giveBack(kind: string, subject: string, { everyMs }: Limit): Promise<void> {
      await execute('update throttle set used_up_to = used_up_to - $1 where key = $2', [everyMs, keyOf(kind, subject)])
    },
  }
}
