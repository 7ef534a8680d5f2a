import type { Event } from '../kernel/eventsourcing/pure/decider.ts'
import type { EventSchemas } from '../kernel/eventsourcing/pure/eventSchemas.ts'

interface Issued {
  /** `<series>-<six digits>`, without gaps in its series. */
  number: string
  /** Id of the document. It is derived from what it is issued for, so a document is issued once. */
  documentId: string
  userId: string
  saleId: string
  /** Integer cents with tax. */
  amountCents: number
  taxCents: number
  currency: string
  /** The document's content, encrypted with the key of the year of `at`, which outlives the account. */
  sealed: string
  at: string
}

interface Data {
  /** An invoice for a sale; with `restorationId`, for the part of the sale of `invoice` that a won dispute returned. */
  InvoiceIssued: Issued & { restorationId?: string; invoice?: string }
  /** A credit note for what a refund or chargeback took of the sale of `invoice`. */
  CreditNoteIssued: Issued & { reversalId: string; invoice: string }
}

/** An event of the book of invoices of one of the types `T`; of any type by default. */
export type InvoiceEvent<T extends keyof Data = keyof Data> = { [K in T]: Event<K, Data[K]> }[T]

export const INVOICE_BOOK = 'invoiceBook'

export const INVOICE_BOOK_EVENTS: EventSchemas<InvoiceEvent['type']> = {
  InvoiceIssued: [],
  CreditNoteIssued: [],
}
