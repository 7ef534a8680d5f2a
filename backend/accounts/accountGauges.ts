import type pg from 'pg'

export interface AccountGauges {
  /** Erasures that were requested and are not finished. */
  readonly erasures: number
  /** Mails that are not delivered. */
  readonly mails: number
  /** Creation time of the oldest of these mails, in epoch seconds; null without any. */
  readonly oldestMailAt: number | null
}

/** Reads the figures for the gauges of accounts and mails. */
export async function readAccountGauges(pool: Pick<pg.ClientBase, 'query'>): Promise<AccountGauges> {
  const { rows } = await pool.query<{ erasures: number; mails: number; oldest: string | null }>(
    `select (select count(*)::int from erasure where done_at is null) as erasures,
       (select count(*)::int from outgoing_mail) as mails, (select min(id::text) from outgoing_mail) as oldest`,
  )
  const { erasures, mails, oldest } = rows[0]!
  // The id is a UUIDv7, which starts with its time in milliseconds.
  const oldestMailAt = oldest && Number.parseInt(oldest.replaceAll('-', '').slice(0, 12), 16) / 1000
  return { erasures, mails, oldestMailAt: oldestMailAt || null }
}
