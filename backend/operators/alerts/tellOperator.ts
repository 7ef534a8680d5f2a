import type pg from 'pg'
import type { SendAlert } from './alertChannel.port.ts'

interface Row {
  readonly code: string
  readonly detail: string
  readonly first_at: Date
  readonly is_open: boolean
}

/**
 * Tells the operator of each alert when it opens and when it is over, once on each channel. The next call tries again
 * what a channel could not send, on this channel only. Must not run twice at the same time.
 * @param channels by the name under which the database records which alerts each was sent
 * @throws AggregateError some channels could not send, after the others did
 */
export async function tellOperator(
  pool: Pick<pg.Pool, 'query'>,
  channels: ReadonlyMap<string, SendAlert>,
): Promise<void> {
  const faults: unknown[] = []
  const tell = async ([channel, send]: readonly [string, SendAlert]) => {
    const { rows } = await pool.query<Row>(
      `select code, detail, first_at, cleared_at is null as is_open from operator_alert
       where ($1 = any (notified_channels)) <> (cleared_at is null) order by first_at, code`,
      [channel],
    )
    for (const { code, detail, first_at, is_open } of rows) {
      const change = is_open ? 'array_append' : 'array_remove'
      try {
        await send({ code, state: is_open ? 'open' : 'over', detail, since: first_at.toISOString() })
        await pool.query(
          `update operator_alert set notified_channels = ${change}(notified_channels, $2) where code = $1`,
          [code, channel],
        )
      } catch (error) {
        faults.push(error)
      }
    }
  }
  await Promise.all([...channels].map(tell))
  if (faults.length > 0) throw new AggregateError(faults, 'alerts could not be sent')
}
