import { derivedId } from '../../../kernel/eventsourcing/pure/eventHash.ts'
import { LEDGER } from '../seedLedger.ts'
import { at, book, forge, sql, subscription, type Tampering } from './tampering.ts'

const { buyer: userId, other, sale: saleId } = LEDGER
const NOW = new Date().toISOString()
const LONG_AGO = '2026-01-10T13:00:00.000Z'

const document = (type: 'InvoiceIssued' | 'CreditNoteIssued', more: object) => {
  const whole = { documentId: 'x', userId, saleId, amountCents: 1299, taxCents: 207, currency: 'USD', sealed: 'v2.' }
  return { stream: book, type, data: { number: 'K-000003', ...whole, at: NOW, ...more } }
}
const pack = (more: object = {}) => {
  const sold = { agreementId: 'O-2', pack: 'small', saleId: 'SALE-2', amountCents: 499, currency: 'USD', credits: 300 }
  return { stream: subscription, type: 'PackPaid', data: { userId, ...sold, soldAt: NOW, at: NOW, ...more } }
}
const ofPack = { documentId: derivedId('sale', 'SALE-2'), saleId: 'SALE-2', amountCents: 499, taxCents: 80 }
const changed = (path: string, value: string, revision: number) =>
  sql(`update event set data = jsonb_set(data, '{${path}}', '${value}') ${at(book, revision)}`)

/** Changed and forged invoices and credit notes. */
export const BOOKS: readonly Tampering[] = [
  {
    what: 'a changed number of an invoice',
    does: changed('number', '"K-000007"', 0),
    names: [
      { check: 'chain', stream: book, revision: 0, wrong: /was changed/ },
      { check: 'invoice', stream: book, revision: 0, wrong: /number is K-000007; 1 comes next/ },
    ],
  },
  {
    what: 'a changed amount of an invoice',
    does: changed('amountCents', '1300', 0),
    names: [
      { check: 'invoice', stream: book, revision: 0, wrong: /amount is 1300 USD; the sale SALE-1 is about 1299/ },
    ],
  },
  {
    what: 'a changed amount of a credit note',
    does: changed('amountCents', '519', 1),
    names: [{ check: 'invoice', stream: book, revision: 1, wrong: /the reversal REFUND-1 is about 520/ }],
  },
  {
    what: 'a changed currency of a credit note',
    does: changed('currency', '"EUR"', 1),
    names: [{ check: 'invoice', stream: book, revision: 1, wrong: /amount is 520 EUR/ }],
  },
  {
    what: 'a credit note of another invoice',
    does: changed('invoice', '"K-000009"', 1),
    names: [{ check: 'invoice', stream: book, revision: 1, wrong: /names the invoice K-000009 of another sale/ }],
  },
  {
    what: 'a tax above the amount',
    does: changed('taxCents', '2000', 0),
    names: [{ check: 'invoice', stream: book, revision: 0, wrong: /tax is 2000 of 1299/ }],
  },
  {
    what: 'a deleted invoice',
    does: sql(`delete from event ${at(book, 0)}`),
    names: [
      { check: 'chain', stream: book, revision: 0, wrong: /missing/ },
      { check: 'invoice', stream: book, revision: 1, wrong: /number is K-000002; 1 comes next/ },
    ],
  },
  {
    what: 'a second invoice of a sale, well chained',
    does: (pool) => forge(pool, document('InvoiceIssued', { documentId: derivedId('sale', saleId) })),
    names: [
      { check: 'invoice', stream: book, revision: 2, wrong: /No sale, refund or dispute of this user is behind/ },
    ],
  },
  {
    what: 'an invoice that skips a number, well chained',
    does: async (pool) => {
      await forge(pool, pack())
      await forge(pool, document('InvoiceIssued', { ...ofPack, number: 'K-000004' }))
    },
    names: [{ check: 'invoice', stream: book, revision: 2, wrong: /number is K-000004; 3 comes next/ }],
  },
  {
    what: "an invoice for another user's sale, well chained",
    does: async (pool) => {
      await forge(pool, pack())
      await forge(pool, document('InvoiceIssued', { ...ofPack, userId: other }))
    },
    names: [
      { check: 'invoice', stream: book, revision: 2, wrong: /No sale, refund or dispute of this user is behind/ },
    ],
  },
  {
    what: 'a credit note for a sale, well chained',
    does: async (pool) => {
      await forge(pool, pack())
      await forge(pool, document('CreditNoteIssued', { ...ofPack, reversalId: 'R', invoice: 'K-000001' }))
    },
    names: [{ check: 'invoice', stream: book, revision: 2, wrong: /A sale has another kind of document/ }],
  },
  {
    what: 'a sale without an invoice, well chained',
    does: (pool) => forge(pool, pack({ at: LONG_AGO })),
    names: [{ check: 'invoice', stream: subscription, wrong: /The sale SALE-2 has no invoice/ }],
  },
  {
    what: 'a refund without a credit note, well chained',
    does: (pool) => {
      const taken = { reversalId: 'R-2', kind: 'refund', amountCents: 1, takenCents: 1, credits: 0 }
      const data = { userId, agreementId: LEDGER.agreement, saleId, ...taken, at: LONG_AGO }
      return forge(pool, { stream: subscription, type: 'SubscriptionSaleReversed', data })
    },
    names: [{ check: 'invoice', stream: subscription, wrong: /The reversal R-2 has no credit note/ }],
  },
]
