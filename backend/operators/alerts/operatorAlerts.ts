import type pg from 'pg'
import type { Logger } from 'pino'
import { prepared } from '../../kernel/postgres/query.ts'

/** A subscription delivered nothing although the log grew. Raised for as long as it lasts. */
export const SUBSCRIPTION_SILENT = 'subscription_silent'
/** The supervisor started a server again after an uncaught error. */
export const SERVER_RESTARTED = 'server_restarted'

/** Raises and clears alerts about conditions that only the operator can fix. `operator_alert` has one row per code. */
export function createOperatorAlerts(pool: Pick<pg.Pool, 'query'>, log: Pick<Logger, 'error' | 'info'>) {
  return {
    /** Opens and logs an alert. If it is already open, only updates its detail, time and count. */
    async raise(code: string, detail: string): Promise<void> {
      const { rows } = await pool.query<{ times: number }>(
        `insert into operator_alert as a (code, detail, first_at, last_at, times) values ($1, $2, now(), now(), 1)
         on conflict (code) do update set
           detail = excluded.detail, last_at = now(), cleared_at = null,
           first_at = case when a.cleared_at is null then a.first_at else now() end,
           times = case when a.cleared_at is null then a.times + 1 else 1 end
         returning times`,
        [code, detail],
      )
      if (rows[0]?.times === 1) log.error({ alert: code, detail }, 'operator alert raised')
    },

    /** Ends alerts; with `quietFor`, only those that were last raised that many milliseconds ago or earlier. */
    async clear(codes: string | readonly string[], quietFor = 0): Promise<void> {
      const { rows } = await pool.query<{ code: string }>(
        prepared(
          `update operator_alert set cleared_at = now()
           where code = any($1) and cleared_at is null and last_at <= now() - $2 * interval '1 millisecond' returning code`,
          [[codes].flat(), quietFor],
        ),
      )
      for (const { code } of rows) log.info({ alert: code }, 'operator alert cleared')
    },
  }
}

/** Returns the open alerts, newest first. `since` is ISO 8601. */
export async function readOpenAlerts(pool: Pick<pg.Pool, 'query'>) {
  const { rows } = await pool.query<{ code: string; detail: string; first_at: Date; times: number }>(
    'select code, detail, first_at, times from operator_alert where cleared_at is null order by first_at desc, code',
  )
  return rows.map(({ first_at, ...alert }) => ({ ...alert, since: first_at.toISOString() }))
}
