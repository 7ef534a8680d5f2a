import { createHmac } from 'node:crypto'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import type { Clock } from '../../kernel/time.ts'

const SWEEP_EVERY_MS = 10 * 60_000

/** Allows `burst` attempts in a row, then one every `everyMs`. */
export type Limit = Readonly<{ burst: number; everyMs: number }>

export type Throttle = ReturnType<typeof createThrottle>

/**
 * Limits the rate of attempts by kind and subject (generic cell rate algorithm). Postgres stores the counts, so all API
 * processes share them and they survive a restart. Subjects are stored as keyed hashes. No subject ever waits longer than
 * `everyMs`, because the limit refills continuously.
 */
export function createThrottle(database: Database, key: Buffer, now: Clock = Date.now) {
  let sweepAt = 0
  const keyOf = (kind: string, subject: string) => createHmac('sha256', key).update(`${kind}:${subject}`).digest('hex')
  const execute = <T extends object>(sql: string, parameters: unknown[]) =>
    database.em.fork().execute<T[]>(sql, parameters)

  return {
    /** Counts an attempt. @throws Rejection too_many_requests, with the seconds to wait */
    async take(kind: string, subject: string, { burst, everyMs }: Limit): Promise<void> {
      const at = now()
      const name = keyOf(kind, subject)
      const taken = await execute(
        `insert into throttle as t (key, used_up_to) values (?, ?)
         on conflict (key) do update set used_up_to = greatest(t.used_up_to, ?) + ?
         where greatest(t.used_up_to, ?) + ? <= ? returning key`,
        [name, at + everyMs, at, everyMs, at, everyMs, at + burst * everyMs],
      )
      if (taken.length === 0) {
        const [row] = await execute<{ used_up_to: string }>('select used_up_to from throttle where key = ?', [name])
        const waitMs = Number(row?.used_up_to ?? at) - (burst - 1) * everyMs - at
        throw new Rejection('too_many_requests', 'Too many attempts. Please wait a moment and try again.', {
          retryAfter: Math.max(1, Math.ceil(waitMs / 1000)),
        })
      }
      if (at < sweepAt) return
      sweepAt = at + SWEEP_EVERY_MS
      await execute('delete from throttle where used_up_to < ?', [at])
    },

    /** Reverts the count of an attempt, such as one with the right password. */
    async giveBack(kind: string, subject: string, { everyMs }: Limit): Promise<void> {
      await execute('update throttle set used_up_to = used_up_to - ? where key = ?', [everyMs, keyOf(kind, subject)])
    },
  }
}
