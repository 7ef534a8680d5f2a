import { type Database, readSnapshot } from '../engine/readModel.ts'
import { type CurrentSubscriptionRow, currentSubscriptions } from './currentSubscription.ts'
import type { InvoiceRow } from './invoice.ts'

export type { CurrentSubscriptionRow, InvoiceRow }

/** Returns a user's subscription. `undefined`: the user has never requested one. */
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

/** Returns one page of a user's invoices, newest first, and their total number. */
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

/** Returns the user who paid a sale. `undefined`: the sale is not known yet. */
export async function readBuyer(database: Database, saleId: string): Promise<string | undefined> {
  const [found] = await database.em
    .fork()
    .execute<{ user_id: string }[]>('select user_id from invoice where sale_id = ?', [saleId])
  return found?.user_id
}

/** Returns the ids of users with an agreement that the provider may still bill. */
export const readSubscribers = (database: Database) =>
  readSnapshot<string>(database, currentSubscriptions, 'id', `unclosed <> '[]'`)

/** Returns the agreements that the provider may still bill, by user. */
export const readOpenAgreements = (database: Database): Promise<{ userId: string; agreementIds: string[] }[]> =>
  database.em
    .fork()
    .execute(`select id as "userId", unclosed as "agreementIds" from current_subscription where unclosed <> '[]'`)
