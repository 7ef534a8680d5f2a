import type pg from 'pg'

/** At most so many calls in any stretch of so many milliseconds, whichever process makes them. */
export interface CallWindow {
  /** Takes a place: 0, or the milliseconds after which one may be free. */
  take(): Promise<number>
}

/** The database's clock counts, so that processes need not agree on theirs. One row's lock makes the calls take turns. */
export function createCallWindow(pool: pg.Pool, name: string, limit: number, windowMs: number): CallWindow {
  return {
    async take() {
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
  }
}
