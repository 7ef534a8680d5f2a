import type pg from 'pg'
import { onlyRow } from '../kernel/postgres/onlyRow.ts'

export interface AccountGauges {
  /** Number of unfinished erasures. */
  readonly erasures: number
  /** Number of undelivered emails. */
  readonly mails: number
  /** Creation time of the oldest undelivered email, in epoch seconds; null if there is none. */
  readonly oldestMailAt: number | null
}

/** Reads the values of the account and email gauges. */
export async function readAccountGauges(pool: Pick<pg.ClientBase, 'query'>): Promise<AccountGauges> {
  const row = await pool.query<{ erasures: number; mails: number; oldest: string | null }>(
    `select (select count(*)::int from erasure where done_at is null) as erasures,
       (select count(*)::int from outgoing_mail) as mails, (select min(id::text) from outgoing_mail) as oldest`,
  )
  const { erasures, mails, oldest } = onlyRow(row)
  // The id is a UUIDv7, which starts with its creation time in milliseconds.
  const oldestMailAt = oldest && Number.parseInt(oldest.replaceAll('-', '').slice(0, 12), 16) / 1000
  return { erasures, mails, oldestMailAt: oldestMailAt || null }
}
