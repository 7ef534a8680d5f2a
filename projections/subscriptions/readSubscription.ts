import type { Database } from '../engine/readModel.ts'
import type { CurrentSubscriptionRow } from './currentSubscription.ts'
import type { InvoiceRow } from './invoice.ts'

export type { CurrentSubscriptionRow, InvoiceRow }

/** The plan a user has or had, and what waits; undefined for who never asked for one. */
export async function readSubscription(
  database: Database,
  userId: string,
): Promise<CurrentSubscriptionRow | undefined> {
  const [found] = await database.em
    .fork()
    .execute<{ row: CurrentSubscriptionRow }[]>('select to_jsonb(t) as row from current_subscription t where id = ?', [
      userId,
    ])
  return found?.row
}

/** One page of a user's invoices, newest first, and how many there are in all. */
export async function readInvoices(
  database: Database,
  userId: string,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ invoices: InvoiceRow[]; total: number }> {
  const em = database.em.fork()
  const rows = await em.execute<{ row: InvoiceRow }[]>(
    'select to_jsonb(t) as row from invoice t where user_id = ? order by period_start desc, id limit ? offset ?',
    [userId, perPage, (page - 1) * perPage],
  )
  const [counted] = await em.execute<{ total: number }[]>(
    'select count(*)::int as total from invoice where user_id = ?',
    [userId],
  )
  return { invoices: rows.map(({ row }) => row), total: counted!.total }
}

/** Who bought what a sale paid for; undefined while the sale is not known. */
export async function readBuyer(database: Database, saleId: string): Promise<string | undefined> {
  const [found] = await database.em
    .fork()
    .execute<{ user_id: string }[]>('select user_id from invoice where sale_id = ?', [saleId])
  return found?.user_id
}

/** Users with an agreement that the provider may still bill. */
export async function readSubscribers(database: Database): Promise<string[]> {
  const rows = await database.em
    .fork()
    .execute<{ id: string }[]>(`select id from current_subscription where unclosed <> '[]'`)
  return rows.map(({ id }) => id)
}

/** Agreements that the provider may still bill, with whose they are. */
export async function readOpenAgreements(database: Database) {
  const rows = await database.em
    .fork()
    .execute<{ id: string; unclosed: string[] }[]>(
      `select id, unclosed from current_subscription where unclosed <> '[]'`,
    )
  return rows.map(({ id, unclosed }) => ({ userId: id, agreementIds: unclosed }))
}
