import type pg from 'pg'

export interface CircuitPace {
  /** So many failures in a row open it. */
  readonly threshold: number
  /** Milliseconds for which it stays open at first; each further failure doubles them, up to `longestMs`. */
  readonly firstMs: number
  readonly longestMs: number
  /** Milliseconds that a trial may take before another process may begin one. */
  readonly trialMs: number
}

/** Keeps all processes from calling a service that is away. */
export interface Circuit {
  /** `trial`: it was open, and this one call may find out whether the service is back. A number: milliseconds to wait. */
  pass(): Promise<'closed' | 'trial' | number>
  succeeded(): Promise<void>
  /** Answers whether it is open now. */
  failed(): Promise<boolean>
  /** Opens it at once. */
  trip(): Promise<void>
  /** The service asked for fewer calls: none for a while, longer each time. It is not broken. */
  slowDown(): Promise<void>
}

export function createCircuit(pool: pg.Pool, name: string, pace: CircuitPace): Circuit {
  const { threshold, firstMs, longestMs, trialMs } = pace
  const open = `clock_timestamp() + least($2 * 2 ^ least(%, 20), $3) * interval '1 millisecond'`
  const beyond = (count: string) => open.replace('%', count)
  const ready = () => pool.query('insert into circuit (name) values ($1) on conflict do nothing', [name])

  const fail = async (least: number) => {
    await ready()
    const { rows } = await pool.query<{ failures: number }>(
      `update circuit set failures = greatest(failures + 1, $4::int),
         blocked_until = case when greatest(failures + 1, $4::int) >= $5::int
           then ${beyond('greatest(failures + 1, $4::int) - $5::int')} else blocked_until end
       where name = $1 returning failures`,
      [name, firstMs, longestMs, least, threshold],
    )
    return rows[0]!.failures >= threshold
  }

  return {
    async pass() {
      const { rows } = await pool.query<{ failures: number; until: string | null; wait: number | null }>(
        `select failures, blocked_until::text as until,
           extract(epoch from blocked_until - clock_timestamp())::float8 * 1000 as wait
         from circuit where name = $1`,
        [name],
      )
      const { failures = 0, until = null, wait = null } = rows[0] ?? {}
      if (wait !== null && wait > 0) return Math.ceil(wait)
      if (failures < threshold) return 'closed'
      const { rowCount } = await pool.query(
        `update circuit set blocked_until = clock_timestamp() + $3 * interval '1 millisecond'
         where name = $1 and blocked_until is not distinct from $2::timestamptz`,
        [name, until, trialMs],
      )
      return rowCount ? 'trial' : firstMs
    },

    async succeeded() {
      await pool.query(
        `update circuit set failures = 0, slowdowns = 0, blocked_until = null
         where name = $1 and (failures > 0 or slowdowns > 0)`,
        [name],
      )
    },

    failed: () => fail(0),

    async trip() {
      await fail(threshold)
    },

    async slowDown() {
      await ready()
      await pool.query(
        `update circuit set slowdowns = slowdowns + 1, blocked_until = greatest(blocked_until, ${beyond('slowdowns')})
         where name = $1`,
        [name, firstMs, longestMs],
      )
    },
  }
}
