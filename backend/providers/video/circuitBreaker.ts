import type pg from 'pg'

/** `failureThreshold` is the number of consecutive failures that opens the breaker. All times are in milliseconds. */
export interface CircuitBreakerOptions {
  readonly failureThreshold: number
  /** Initial open time. It doubles with each further failure, up to `maxOpenMs`. */
  readonly initialOpenMs: number
  readonly maxOpenMs: number
  /** Probe timeout, after which another process may send a probe. */
  readonly probeTimeoutMs: number
}

/** A circuit breaker that all processes share. Its state is a row in the table `circuit`. */
export interface CircuitBreaker {
  /** Returns `closed`, `probe` if the caller may test the open breaker with one call, or the milliseconds to wait. */
  check(): Promise<'closed' | 'probe' | number>
  recordSuccess(): Promise<void>
  /** Counts a failure. Returns whether the breaker is now open. */
  recordFailure(): Promise<boolean>
  /** Opens the breaker regardless of the failure count. */
  open(): Promise<void>
  /** Blocks calls with exponential backoff after a rate-limit response, which does not count as a failure. */
  throttle(): Promise<void>
}

export function createCircuitBreaker(pool: pg.Pool, name: string, options: CircuitBreakerOptions): CircuitBreaker {
  const { failureThreshold, initialOpenMs, maxOpenMs, probeTimeoutMs } = options
  const backoff = (exponent: string) =>
    `clock_timestamp() + least($2 * 2 ^ least(${exponent}, 20), $3) * interval '1 millisecond'`
  const insertRow = () => pool.query('insert into circuit (name) values ($1) on conflict do nothing', [name])

  const countFailure = async (least: number) => {
    await insertRow()
    const { rows } = await pool.query<{ failures: number }>(
      `update circuit set failures = greatest(failures + 1, $4::int),
         blocked_until = case when greatest(failures + 1, $4::int) >= $5::int
           then ${backoff('greatest(failures + 1, $4::int) - $5::int')} else blocked_until end
       where name = $1 returning failures`,
      [name, initialOpenMs, maxOpenMs, least, failureThreshold],
    )
    return rows[0]!.failures >= failureThreshold
  }

  return {
    async check() {
      const { rows } = await pool.query<{ failures: number; until: string | null; wait: number | null }>(
        `select failures, blocked_until::text as until,
           extract(epoch from blocked_until - clock_timestamp())::float8 * 1000 as wait
         from circuit where name = $1`,
        [name],
      )
      const { failures = 0, until = null, wait = null } = rows[0] ?? {}
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
      await pool.query(
        `update circuit set failures = 0, slowdowns = 0, blocked_until = null
         where name = $1 and (failures > 0 or slowdowns > 0)`,
        [name],
      )
    },

    recordFailure: () => countFailure(0),

    async open() {
      await countFailure(failureThreshold)
    },

    async throttle() {
      await insertRow()
      await pool.query(
        `update circuit set slowdowns = slowdowns + 1, blocked_until = greatest(blocked_until, ${backoff('slowdowns')})
         where name = $1`,
        [name, initialOpenMs, maxOpenMs],
      )
    },
  }
}

/** Returns the state of every circuit breaker, for the metrics. */
export async function readCircuitBreakers(pool: Pick<pg.Pool, 'query'>) {
  const { rows } = await pool.query<{ name: string; open: boolean; failures: number }>(
    'select name, coalesce(blocked_until > now(), false) as open, failures from circuit',
  )
  return rows
}
