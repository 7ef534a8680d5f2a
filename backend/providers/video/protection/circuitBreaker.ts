import type pg from 'pg'
import { onlyRow } from '../../../kernel/postgres/onlyRow.ts'
import { prepared } from '../../../kernel/postgres/query.ts'

/** All times are in milliseconds. Of failures, only consecutive ones count. */
export interface CircuitBreakerOptions {
  /** Failures that open the breaker. */
  readonly failureThreshold: number
  /** Failures that open the breaker if the first of them is `sustainedMs` old, at a low call rate. */
  readonly sustainedThreshold: number
  readonly sustainedMs: number
  /** Initial open time. It doubles with each further failure, up to `maxOpenMs`. */
  readonly initialOpenMs: number
  readonly maxOpenMs: number
  /** Probe timeout, after which another process may send a probe. */
  readonly probeTimeoutMs: number
}

/**
 * A provider that answers three calls of ten with an error fails eight times in a row once in 20,000 calls, but three
 * times once in 50. At a low rate eight failures take too long, so three are enough if they span `sustainedMs`.
 */
export const BREAKER_DEFAULTS = {
  failureThreshold: 8,
  sustainedThreshold: 3,
  sustainedMs: 30_000,
  initialOpenMs: 5_000,
  maxOpenMs: 60_000,
  probeTimeoutMs: 30_000,
} satisfies CircuitBreakerOptions

/** A circuit breaker that all processes share. Its state is a row in the table `circuit`. */
export interface CircuitBreaker {
  /** Returns `closed`, `probe` if the caller may test the open breaker with one call, or the milliseconds to wait. */
  check(): Promise<'closed' | 'probe' | number>
  recordSuccess(): Promise<void>
  /** Counts a failed call as one failure, or as `count`. Returns whether the breaker is now open. */
  recordFailure(count?: number): Promise<boolean>
  /** Opens the breaker regardless of the failure count. */
  open(): Promise<void>
  /** Blocks calls with exponential backoff after a rate-limit response, which does not count as a failure. */
  throttle(): Promise<void>
}

export function createCircuitBreaker(pool: pg.Pool, name: string, options: CircuitBreakerOptions): CircuitBreaker {
  const { failureThreshold, sustainedThreshold, sustainedMs, initialOpenMs, maxOpenMs, probeTimeoutMs } = options
  const backoff = (exponent: string) =>
    `clock_timestamp() + least($2 * 2 ^ least(${exponent}, 20), $3) * interval '1 millisecond'`
  /** Whether the last check found nothing that a success would reset. Each call is checked before it is made. */
  let isReset = false
  const insertRow = () => pool.query('insert into circuit (name) values ($1) on conflict do nothing', [name])

  /** Adds failures to a closed breaker, at most up to the threshold, or one to an open breaker. */
  const countFailures = async (count: number) => {
    isReset = false
    await insertRow()
    const found = await pool.query<{ failures: number }>(
      `with counted as (
         select name, case
           when failures >= $4::int then failures + 1
           when failures + $5::int >= $6 and failing_since <= clock_timestamp() - $7 * interval '1 millisecond' then $4
           else least(failures + $5, $4) end as count
         from circuit where name = $1 for update)
       update circuit set failures = count, failing_since = coalesce(failing_since, clock_timestamp()),
         blocked_until = case when count >= $4 then ${backoff('count - $4')} else blocked_until end
       from counted where circuit.name = counted.name returning failures`,
      [name, initialOpenMs, maxOpenMs, failureThreshold, count, sustainedThreshold, sustainedMs],
    )
    return onlyRow(found).failures >= failureThreshold
  }

  return {
    async check() {
      const { failures, slowdowns, until, wait } = await readCircuit(pool, name)
      isReset = failures === 0 && slowdowns === 0
      if (wait !== null && wait > 0) return Math.ceil(wait)
      if (failures < failureThreshold) return 'closed'
      const { rowCount } = await pool.query(
        `update circuit set blocked_until = clock_timestamp() + $3 * interval '1 millisecond'
         where name = $1 and blocked_until is not distinct from $2::timestamptz`,
        [name, until, probeTimeoutMs],
      )
      return rowCount ? 'probe' : initialOpenMs
    },

    async recordSuccess() {
      if (isReset) return
      await pool.query(
        `update circuit set failures = 0, failing_since = null, slowdowns = 0, blocked_until = null
         where name = $1 and (failures > 0 or slowdowns > 0)`,
        [name],
      )
    },

    recordFailure: (count = 1) => countFailures(count),

    async open() {
      await countFailures(failureThreshold)
    },

    async throttle() {
      isReset = false
      await insertRow()
      await pool.query(
        `update circuit set slowdowns = slowdowns + 1, blocked_until = greatest(blocked_until, ${backoff('slowdowns')})
         where name = $1`,
        [name, initialOpenMs, maxOpenMs],
      )
    },
  }
}

async function readCircuit(pool: pg.Pool, name: string) {
  const { rows } = await pool.query<{ failures: number; slowdowns: number; until: string | null; wait: number | null }>(
    prepared(
      `select failures, slowdowns, blocked_until::text as until,
         extract(epoch from blocked_until - clock_timestamp())::float8 * 1000 as wait
       from circuit where name = $1`,
      [name],
    ),
  )
  return rows[0] ?? { failures: 0, slowdowns: 0, until: null, wait: null }
}

/** Returns the state of every circuit breaker, for the metrics. */
export async function readCircuitBreakers(pool: Pick<pg.Pool, 'query'>) {
  const { rows } = await pool.query<{ name: string; open: boolean; failures: number }>(
    'select name, coalesce(blocked_until > now(), false) as open, failures from circuit',
  )
  return rows
}
