import type pg from 'pg'

export type RateLimiter = ReturnType<typeof createSlidingWindowLimiter>

/**
 * Creates a rate limiter that allows all processes together `limit` calls in any window of `windowMs` milliseconds. It
 * uses the database clock, because process clocks may differ, and a row lock in the table `call_window`.
 */
export const createSlidingWindowLimiter = (pool: pg.Pool, name: string, limit: number, windowMs: number) => ({
  /** Acquires a slot. Returns 0, or the milliseconds until a slot may be free. */
  async acquire(): Promise<number> {
    await pool.query('insert into call_window (name) values ($1) on conflict do nothing', [name])
    const { rowCount } = await pool.query(
      `update call_window w set calls = array_append(
         array(select at from unnest(w.calls) at where at > clock_timestamp() - $3 * interval '1 millisecond'),
         clock_timestamp())
       where name = $1 and (select count(*) from unnest(w.calls) at
         where at > clock_timestamp() - $3 * interval '1 millisecond') < $2`,
      [name, limit, windowMs],
    )
    if (rowCount) return 0
    const { rows } = await pool.query<{ wait: number | null }>(
      `select extract(epoch from min(at) - clock_timestamp())::float8 * 1000 + $2 as wait
       from call_window w, unnest(w.calls) at
       where name = $1 and at > clock_timestamp() - $2 * interval '1 millisecond'`,
      [name, windowMs],
    )
    return Math.max(1, Math.ceil(rows[0]?.wait ?? 1))
  },
})
