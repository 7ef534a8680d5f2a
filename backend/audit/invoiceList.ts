import { aboutDocument, type InvoiceDocument, yearOf } from '../invoices/document.contract.ts'
import { INVOICE_BOOK, type InvoiceEvent } from '../invoices/events.ts'
import type { EventStore, Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import { csvLine } from '../kernel/http/csv.ts'
import { readLedger } from './readLedger.ts'

/** Opens a text of a year; undefined if the year's key was destroyed. */
export type OpenText = (year: number, about: ReturnType<typeof aboutDocument>, sealed: string) => string | undefined

const COLUMNS = [
  ...['number', 'kind', 'issued_at', 'supplied_at', 'invoice', 'buyer', 'address', 'vat_id', 'item', 'currency'],
  ...['amount', 'tax', 'rate', 'reverse_charge', 'seller', 'user_id', 'sale_id'],
]

/** Yields all invoices and credit notes as lines of CSV. Without its key, a document has its amounts only. */
export async function* invoiceCsv(store: EventStore, open: OpenText): AsyncGenerator<string> {
  yield csvLine(COLUMNS)
  for await (const page of readLedger(store, { categories: [INVOICE_BOOK] }))
    for (const { type, data } of page as readonly Stored<InvoiceEvent>[]) {
      const { number, documentId, userId, saleId, amountCents, taxCents, currency, invoice = '', sealed, at } = data
      const text = open(yearOf(at), aboutDocument(documentId, userId), sealed)
      const content = text === undefined ? undefined : (JSON.parse(text) as InvoiceDocument)
      const { buyer, item = [], rate = '', reverseCharge = '', seller, suppliedAt = '' } = content ?? {}
      const sign = type === 'InvoiceIssued' ? 1 : -1
      const kind = type === 'InvoiceIssued' ? 'invoice' : 'credit_note'
      yield csvLine([
        ...[number, kind, at, suppliedAt, invoice, buyer?.name ?? '', buyer?.address.join(', ') ?? ''],
        ...[
          buyer?.vatId ?? '',
          item.join(', '),
          currency,
          (sign * amountCents) / 100,
          (sign * taxCents) / 100,
          rate,
          reverseCharge,
        ],
        ...[seller?.name ?? '', userId, saleId],
      ])
    }
}
