import type pg from 'pg'
import type { AlertNews, SendAlert } from './alertChannel.port.ts'

interface Row {
  readonly code: string
  readonly detail: string
  readonly first_at: Date
  readonly is_open: boolean
}

/**
 * Tells the operator of each alert when it opens and when it is over. What one channel could not send is sent again on
 * every channel by the next call, so news may arrive twice. Must not run twice at the same time.
 */
export async function tellOperator(pool: Pick<pg.Pool, 'query'>, channels: readonly SendAlert[]): Promise<void> {
  const { rows } = await pool.query<Row>(
    `select code, detail, first_at, cleared_at is null as is_open from operator_alert
     where told <> (cleared_at is null) order by first_at, code`,
  )
  const faults: unknown[] = []
  for (const { code, detail, first_at, is_open } of rows) {
    const news: AlertNews = { code, state: is_open ? 'open' : 'over', detail, since: first_at.toISOString() }
    const results = await Promise.allSettled(channels.map((send) => send(news)))
    const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    if (failed.length > 0) faults.push(...failed)
    else await pool.query('update operator_alert set told = $2 where code = $1', [code, is_open])
  }
  if (faults.length > 0) throw new AggregateError(faults, 'alerts could not be sent')
}
