import { BOOK, type InvoiceCommand, invoiceBook } from '../../invoices/invoiceBook.decider.ts'
import type { EventStore } from '../../kernel/eventsourcing/eventStore.port.ts'
import { createHandle } from '../../kernel/eventsourcing/handle.ts'
import { derivedId } from '../../kernel/eventsourcing/pure/eventHash.ts'
import { LEDGER } from './seedLedger.ts'

/** Issues the invoice of the seeded ledger's sale, and the credit note of its refund. */
export async function seedBook(store: EventStore): Promise<void> {
  const handle = createHandle(store)
  const issue = (command: InvoiceCommand) => {
    const context = { commandId: command.documentId, actor: 'system', correlationId: command.documentId }
    return handle(invoiceBook, BOOK, command, context)
  }
  const { buyer: userId, sale: saleId } = LEDGER
  const at = new Date().toISOString()
  const document = { series: 'K', userId, saleId, currency: 'USD', sealed: 'v2.', at }
  const invoice = { ...document, documentId: derivedId('sale', saleId), amountCents: 1299, taxCents: 207 }
  await issue({ type: 'IssueInvoice', ...invoice })
  const note = { ...document, documentId: derivedId('reversal', 'REFUND-1'), amountCents: 520, taxCents: 83 }
  await issue({ type: 'IssueCreditNote', ...note, reversalId: 'REFUND-1', invoice: 'K-000001' })
}
