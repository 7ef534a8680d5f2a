import type { Database } from '#backend/kernel/postgres/query.ts'
import { query, queryOne, queryPrepared } from '#backend/kernel/postgres/query.ts'
import { type LocalDays, localDays, type Page, queryPage, SPAN } from '../engine/queryPage.ts'
import { readSnapshot } from '../engine/readModel.ts'
import { type CurrentSubscriptionRow, currentSubscriptions } from './currentSubscription.ts'
import type { InvoiceRow } from './invoice.ts'
import type { IssuedDocument } from './readInvoiceDocuments.ts'

export type { CurrentSubscriptionRow, InvoiceRow }

/** Returns a user's subscription, or undefined if the user has never requested one. */
export async function readSubscription(database: Database, userId: string) {
  const sql = 'select to_json(t) as row from current_subscription t where id = $1'
  const [found] = await queryPrepared<{ row: CurrentSubscriptionRow }>(database, sql, [userId])
  return found?.row
}

/** The documents of a sale that are issued, in their order. */
const DOCUMENTS = `(select coalesce(json_agg(d order by d.position), '[]') from (
  select id, kind, number, amount_cents, issued_at, position from invoice_document
  where sale_id = invoice.sale_id and number is not null) d) as documents`

type Documents = readonly Pick<IssuedDocument, 'id' | 'kind' | 'number' | 'amount_cents' | 'issued_at'>[]

/** Returns one page of a user's invoices with their documents, newest first, and the total count. */
export async function readInvoices(database: Database, userId: string, page: Page) {
  const from = 'invoice where user_id = $1'
  const invoices = { columns: `*, ${DOCUMENTS}`, from, orderBy: 'period_start desc, id' }
  const { rows, total } = await queryPage<InvoiceRow & { documents: Documents }>(database, invoices, [userId], page)
  return { invoices: rows, total }
}

/** Returns the id of the user who paid for a sale, or undefined if the sale is not known yet. */
export async function readBuyer(database: Database, saleId: string): Promise<string | undefined> {
  const sql = 'select user_id from invoice where sale_id = $1'
  const [found] = await query<{ user_id: string }>(database, sql, [saleId])
  return found?.user_id
}

/** Returns a sale; undefined if it is unknown. */
export async function readSale(database: Database, saleId: string): Promise<InvoiceRow | undefined> {
  const [found] = await query<InvoiceRow>(database, 'select * from invoice where sale_id = $1', [saleId])
  return found
}

/** Returns the sales that a text names: by their id, that of their agreement or order, or the number of an invoice. */
export const findSales = (database: Database, text: string) =>
  query<Pick<InvoiceRow, 'sale_id' | 'user_id' | 'amount_cents' | 'currency'>>(
    database,
    `select sale_id, user_id, amount_cents, currency from invoice where sale_id in (
       select $1 union all select sale_id from invoice where agreement_id = $2
       union all select sale_id from invoice_document where number = $3) order by period_start desc limit 10`,
    [text, text, text],
  )

const HAS_OPEN = `(unclosed <> '[]' or open_orders <> '[]')`

/** Returns the ids of users with an agreement that the provider may still bill, or an order that may still be paid. */
export const readSubscribers = (database: Database) =>
  readSnapshot<string>(database, currentSubscriptions, 'id', HAS_OPEN)

/** Returns the agreements that the provider may still bill, by user, with users who have only an order to pay. */
export const readOpenAgreements = (database: Database) =>
  query<{ userId: string; agreementIds: string[] }>(
    database,
    `select id as "userId", unclosed as "agreementIds" from current_subscription where ${HAS_OPEN}`,
  )

/** Counts the users with an agreement that the provider may still bill. */
export async function readOpenSubscriptionCount(database: Database): Promise<number> {
  const sql = `select count(*)::int as count from current_subscription where unclosed <> '[]'`
  return (await queryOne<{ count: number }>(database, sql)).count
}

/** Counts the users whose last payment failed and was not made good. */
export async function readUnpaidSubscriptionCount(database: Database): Promise<number> {
  const sql = `select count(*)::int as count from current_subscription where unclosed <> '[]' and grace_until is not null`
  return (await queryOne<{ count: number }>(database, sql)).count
}

/** Returns the revenue of a period net of refunds, by currency, in cents. */
export const readRevenue = (database: Database, days: LocalDays) =>
  query<{ currency: string; amount: number }>(
    database,
    `select currency, sum(amount_cents - refunded_cents)::float as amount from invoice, ${SPAN}
     where period_start >= begins and period_start < ends group by currency order by currency`,
    localDays(days),
  )
