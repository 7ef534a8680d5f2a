import type { Database } from '#backend/kernel/postgres/query.ts'
import { query } from '#backend/kernel/postgres/query.ts'
import type { InvoiceRow } from './invoice.ts'
import type { InvoiceDocumentRow } from './invoiceDocument.ts'

/** A document that is to be issued, with its sale. */
export type DueDocument = Pick<
  InvoiceDocumentRow,
  'id' | 'user_id' | 'sale_id' | 'kind' | 'amount_cents' | 'booked_at' | 'source_id'
> &
  Pick<InvoiceRow, 'tier' | 'pack' | 'credits' | 'currency' | 'period_start' | 'period_end'> & {
    /** Sum of the documents of the sale before this one, in cents. */
    readonly standing: number
    /** The sale's invoice, if it is issued. */
    readonly first: IssuedDocument | null
  }

export type IssuedDocument = InvoiceDocumentRow &
  Record<'number' | 'sealed' | 'issued_at', string> & { tax_cents: number }

/** Credit notes of a sale that had no invoice, because its amount was wrong, are never due. */
const DUE = `d.number is null and (d.kind = 'sale' or exists (
  select from invoice_document s where s.sale_id = d.sale_id and s.kind = 'sale'))`

/** Returns documents that are to be issued, in the order of the log. */
export const readDueDocuments = async (database: Database, limit: number): Promise<DueDocument[]> =>
  (
    await query<{ row: DueDocument }>(
      database,
      `select to_json(due) as row from (
         select d.*, i.tier, i.pack, i.credits, i.currency, i.period_start, i.period_end, to_json(f) as first,
           coalesce((select sum(case kind when 'reversal' then -b.amount_cents else b.amount_cents end)
             from invoice_document b where b.sale_id = d.sale_id and b.position < d.position), 0) as standing
         from invoice_document d join invoice i on i.sale_id = d.sale_id
         left join invoice_document f on f.sale_id = d.sale_id and f.kind = 'sale' and f.number is not null
         where ${DUE} order by d.position limit $1) due`,
      [limit],
    )
  ).map(({ row }) => row)

/** Returns whether a document is to be issued. */
export const hasDueDocuments = async (database: Database): Promise<boolean> =>
  (await query(database, `select from invoice_document d where ${DUE} limit 1`)).length > 0

/** Returns documents by number that were issued after one instant, for sales and reversals after another. */
export const readRecentDocuments = (database: Database, issuedAfter: Date, bookedAfter: Date) =>
  query<Pick<IssuedDocument, 'id' | 'user_id' | 'number'>>(
    database,
    `select id, user_id, number from invoice_document where issued_at > $1 and booked_at > $2 order by number`,
    [issuedAfter, bookedAfter],
  )

/** Returns an issued document; undefined if there is none. */
export async function readIssuedDocument(database: Database, id: string): Promise<IssuedDocument | undefined> {
  const sql = 'select to_json(d) as row from invoice_document d where id = $1 and number is not null'
  return (await query<{ row: IssuedDocument }>(database, sql, [id]))[0]?.row
}
