import { createHmac } from 'node:crypto'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import type { Database } from '../../kernel/postgres/orm.ts'

/** `burst` at once, and then one each `everyMs`. */
export interface Limit {
  readonly burst: number
  readonly everyMs: number
}

const SWEEP_EVERY_MS = 10 * 60_000

export type Throttle = ReturnType<typeof createThrottle>

/**
 * Counts what must not be done too often (generic cell rate algorithm). Kept in Postgres, so that several API processes
 * count together and a restart forgets nothing; subjects are kept as keyed hashes. A limit fills up again steadily, so
 * nobody is ever shut out for longer than `everyMs`.
 */
export function createThrottle(database: Database, key: Buffer, now: () => number = Date.now) {
  let sweepAt = 0
  const nameOf = (kind: string, subject: string) => createHmac('sha256', key).update(`${kind}:${subject}`).digest('hex')
  const execute = <T extends object>(sql: string, parameters: unknown[]) =>
    database.em.fork().execute<T[]>(sql, parameters)

  return {
    /** @throws Rejection too_many_requests, with the seconds to wait */
    async take(kind: string, subject: string, { burst, everyMs }: Limit): Promise<void> {
      const at = now()
      const name = nameOf(kind, subject)
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

    /** Takes back what turned out not to count. */
    async giveBack(kind: string, subject: string, { everyMs }: Limit): Promise<void> {
      await execute('update throttle set used_up_to = used_up_to - ? where key = ?', [everyMs, nameOf(kind, subject)])
    },
  }
}
