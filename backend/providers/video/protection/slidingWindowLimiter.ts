import type pg from 'pg'
import { prepared } from '#backend/kernel/postgres/query.ts'

export type RateLimiter = ReturnType<typeof createSlidingWindowLimiter>

/** Calls are counted in slices of a window, so that the cost of a call does not grow with the limit. */
const SLICES = 100

/**
 * Creates a rate limiter that allows all processes together `limit` calls in any window of `windowMs` milliseconds. It
 * uses the database clock, because process clocks may differ, and a row lock in the table `call_window`. A call counts
 * from the end of its slice, and so for up to 1 % longer than a window. Calls in the future, because the clock
 * was set back, do not count. Processes with different windows do not count all calls of each other.
 *
 * A process that makes several calls in a slice reserves them with one statement. Each is made before its slice ends.
 */
export function createSlidingWindowLimiter(pool: pg.Pool, name: string, limit: number, windowMs: number) {
  const [window, slice] = [windowMs, windowMs / SLICES].map((ms) => `interval '${ms} milliseconds'`)
  const current = `date_bin(${slice}, clock_timestamp(), 'epoch') + ${slice}`
  const counted = `unnest(w.ends, w.counts) as s (at, calls) where at > clock_timestamp() - ${window}
    and at <= clock_timestamp() + ${slice}`
  const text = `insert into call_window as w (name, ends, counts) values ($1, array[${current}], array[$3::int])
    on conflict (name) do update set (ends, counts) = (
      select array_agg(at), array_agg(calls) from (
        select at, sum(calls)::int as calls from (
          select at, calls from ${counted} union all select ${current}, $3
        ) each group by at
      ) slices
    ) where (select coalesce(sum(calls), 0) from ${counted}) <= $2::int - $3
    returning (select extract(epoch from max(at) - clock_timestamp())::float8 * 1000 from unnest(w.ends) at) as left`
  const share = Math.max(1, Math.floor(limit / SLICES))
  let [size, reserved, until] = [1, 0, 0]

  /** Counts calls, of which the first one is made immediately. Returns false, and counts none, if they exceed the limit. */
  const reserve = async (calls: number): Promise<boolean> => {
    const sent = performance.now()
    const { rows } = await pool.query<{ left: number }>(prepared(text, [name, limit, calls]))
    if (rows[0]) [reserved, until] = [calls - 1, sent + rows[0].left]
    return rows[0] !== undefined
  }

  return {
    /** Acquires a slot. Returns 0, or the milliseconds until a slot may be free. */
    async acquire(): Promise<number> {
      const isOver = performance.now() >= until
      if (!isOver && reserved > 0) {
        reserved--
        return 0
      }
      // As many as were used of the last ones, or twice as many if those did not last for the slice.
      size = isOver ? Math.max(1, size - reserved) : Math.min(share, 2 * size)
      reserved = 0
      if ((await reserve(size)) || (size > 1 && (await reserve(1)))) return 0
      const { rows } = await pool.query<{ wait: number | null }>(
        `select extract(epoch from min(at) + ${window} - clock_timestamp())::float8 * 1000 as wait
         from call_window w, ${counted.replace('where', 'where name = $1 and')}`,
        [name],
      )
      return Math.max(1, Math.ceil(rows[0]?.wait ?? 1))
    },
  }
}
