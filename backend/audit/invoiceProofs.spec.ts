import { expect, it } from 'vitest'
import type { InvoiceEvent } from '../invoices/events.ts'
import type { GlobalPosition, Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import type { Event } from '../kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import type { SubscriptionEvent } from '../subscriptions/events.ts'
import { Deviations } from './deviation.ts'
import { InvoiceProofs } from './invoiceProofs.ts'

const at = '2026-01-10T00:00:00.000Z'
const about = { userId: 'ada', saleId: 'S', at }
const sold = { agreementId: 'O', pack: 'small', amountCents: 499, currency: 'USD', credits: 300, soldAt: at }
const taken = { agreementId: 'O', reversalId: 'R', kind: 'refund', amountCents: 1, takenCents: 1, credits: 0 } as const
const sales: readonly SubscriptionEvent[] = [
  { type: 'PackPaid', data: { ...about, ...sold } },
  { type: 'SubscriptionSaleReversed', data: { ...about, ...taken } },
]

const stored = <E extends Event>(event: E, revision: number): Stored<E> => ({
  ...event,
  ...{ id: String(revision), stream: 'of-ada', revision, position: String(revision) as GlobalPosition },
  ...{ created: new Date(at), meta: {} },
})

/** Returns the faults of an invoice, and of the credit note for a refund of one cent, by its tax. */
function faultsOf(taxCents: number): string[] {
  const document = { ...about, currency: 'USD', sealed: 'v2.' }
  const ofSale = { number: 'K-000001', documentId: derivedId('sale', 'S'), amountCents: 499, taxCents: 80 }
  const ofCent = { number: 'K-000002', documentId: derivedId('reversal', 'R'), amountCents: 1, taxCents }
  const book: readonly InvoiceEvent[] = [
    { type: 'InvoiceIssued', data: { ...document, ...ofSale } },
    { type: 'CreditNoteIssued', data: { ...document, ...ofCent, reversalId: 'R', invoice: 'K-000001' } },
  ]
  const deviations = new Deviations()
  const proofs = new InvoiceProofs(deviations)
  for (const [n, event] of sales.entries()) proofs.takeSubscription(stored(event, n))
  for (const [n, event] of book.entries()) proofs.takeBook(stored(event, n))
  return deviations.found.map(({ wrong }) => wrong)
}

it('accepts a credit note whose only cent is tax, as the book does, and none with more tax than its amount', () => {
  expect(faultsOf(0)).toEqual([])
  expect(faultsOf(1)).toEqual([])
  expect(faultsOf(2)).toEqual(['Its tax is 2 of 1.'])
})
