import { defineEntity, p } from '@mikro-orm/core'
import { INVOICE_BOOK, INVOICE_BOOK_EVENTS, type InvoiceEvent } from '#backend/invoices/events.ts'
import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { derivedId } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { SUBSCRIPTION, SUBSCRIPTION_EVENTS, type SubscriptionEvent } from '#backend/subscriptions/events.ts'
import type { Projection, RowOf } from '../engine/projection.ts'

/** An invoice or credit note that is due or issued. Amounts are integer cents. */
const InvoiceDocumentTable = defineEntity({
  name: 'InvoiceDocumentRow',
  tableName: 'invoice_document',
  properties: {
    /** The id of the invoice's row if the kind is `sale`. */
    id: p.uuid().primary(),
    user_id: p.uuid(),
    sale_id: p.string(),
    kind: p.string().$type<'sale' | 'reversal' | 'restoration'>(),
    /** Id of the sale, reversal or restoration. */
    source_id: p.string(),
    amount_cents: p.integer(),
    booked_at: p.datetime(),
    /** Position in the log of the event that it is due for. */
    position: p.string(),
    /** Null until it is issued, like the columns that follow. */
    number: p.string().nullable(),
    /** Number of the sale's invoice; null for that invoice itself. */
    about: p.string().nullable(),
    tax_cents: p.integer().nullable(),
    sealed: p.string().nullable(),
    issued_at: p.datetime().nullable(),
  },
})
export type InvoiceDocumentRow = RowOf<typeof InvoiceDocumentTable>

type Due = SubscriptionEvent<'SubscriptionPaid' | 'PackPaid' | 'SubscriptionSaleReversed' | 'SubscriptionSaleRestored'>

const NOT_ISSUED = { number: null, about: null, tax_cents: null, sealed: null, issued_at: null } as const

function due({ data, position }: Stored<Due>, kind: InvoiceDocumentRow['kind'], sourceId: string, amount: number) {
  const { userId: user_id, saleId: sale_id, at: booked_at } = data
  const row = { id: derivedId(kind, sourceId), user_id, sale_id, kind, source_id: sourceId, amount_cents: amount }
  return amount > 0 ? { ...row, booked_at, position, ...NOT_ISSUED } : undefined
}

const issued = (row: InvoiceDocumentRow | undefined, { data }: InvoiceEvent) =>
  row && {
    ...row,
    number: data.number,
    about: data.invoice ?? null,
    tax_cents: data.taxCents,
    sealed: data.sealed,
    issued_at: data.at,
  }

const idOf = ({ type, data }: Due | InvoiceEvent): string => {
  switch (type) {
    case 'SubscriptionPaid':
    case 'PackPaid':
      return derivedId('sale', data.saleId)
    case 'SubscriptionSaleReversed':
      return derivedId('reversal', data.reversalId)
    case 'SubscriptionSaleRestored':
      return derivedId('restoration', data.restorationId)
    default:
      return data.documentId
  }
}

export const invoiceDocuments: Projection<Due | InvoiceEvent, InvoiceDocumentRow> = {
  name: 'invoiceDocuments',
  version: 1,
  table: InvoiceDocumentTable,
  categories: [SUBSCRIPTION, INVOICE_BOOK],
  schemas: { ...SUBSCRIPTION_EVENTS, ...INVOICE_BOOK_EVENTS },
  row: idOf,
  on: {
    SubscriptionPaid: (_, event) => due(event, 'sale', event.data.saleId, event.data.amountCents),
    PackPaid: (_, event) => due(event, 'sale', event.data.saleId, event.data.amountCents),
    SubscriptionSaleReversed: (_, event) => due(event, 'reversal', event.data.reversalId, event.data.takenCents),
    SubscriptionSaleRestored: (_, event) => due(event, 'restoration', event.data.restorationId, event.data.amountCents),
    InvoiceIssued: issued,
    CreditNoteIssued: issued,
  },
}
