import { describe, expect, it } from 'vitest'
import type { InvoiceEvent } from '#backend/invoices/events.ts'
import { derivedId } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import type { SubscriptionEvent } from '#backend/subscriptions/events.ts'
import { rowsOf } from '../testing/rowsOf.ts'
import { invoiceDocuments } from './invoiceDocument.ts'

const about = { userId: 'user', agreementId: 'A', saleId: 's1', at: '2026-01-01T00:00:00.000Z' }
const sold: SubscriptionEvent = {
  type: 'PackPaid',
  data: { ...about, pack: 'small', amountCents: 499, currency: 'USD', credits: 300, soldAt: about.at },
}
const reversed = (takenCents: number): SubscriptionEvent => ({
  type: 'SubscriptionSaleReversed',
  data: { ...about, reversalId: 'r1', kind: 'refund', amountCents: 499, takenCents, credits: 300 },
})
const issued = (documentId: string): InvoiceEvent => ({
  type: 'InvoiceIssued',
  data: { ...about, number: 'K-000001', documentId, amountCents: 499, taxCents: 80, currency: 'USD', sealed: 'v2.' },
})

describe('a document', () => {
  it('is due for a sale until it is issued', () => {
    const [due] = rowsOf(invoiceDocuments, sold)
    expect(due).toMatchObject({ id: derivedId('sale', 's1'), kind: 'sale', amount_cents: 499, number: null })
    const [row] = rowsOf(invoiceDocuments, sold, issued(derivedId('sale', 's1')))
    expect(row).toEqual({
      ...due,
      ...{ number: 'K-000001', about: null, tax_cents: 80, sealed: 'v2.', issued_at: about.at },
    })
  })

  it('is due for what a refund takes, and not for one that takes nothing more', () => {
    expect(rowsOf(invoiceDocuments, reversed(499))).toMatchObject([{ kind: 'reversal', amount_cents: 499 }])
    expect(rowsOf(invoiceDocuments, reversed(0))).toEqual([])
  })

  it('is not made by an event of the book alone', () => {
    expect(rowsOf(invoiceDocuments, issued('other'))).toEqual([])
  })
})
