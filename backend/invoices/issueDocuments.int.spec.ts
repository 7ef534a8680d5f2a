import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { invoices } from '#projections/subscriptions/invoice.ts'
import { invoiceDocuments } from '#projections/subscriptions/invoiceDocument.ts'
import { projectLog } from '#projections/testing/projectLog.ts'
import { createYearKeys } from '../accounts/keys/yearKeys.ts'
import { createHandle } from '../kernel/eventsourcing/handle.ts'
import type { SubscriptionCommand } from '../subscriptions/commands.ts'
import { subscription } from '../subscriptions/subscription.decider.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import type { InvoiceSettings } from './contents.ts'
import { BillingDetails } from './contract.ts'
import type { InvoiceDocument } from './document.contract.ts'
import type { InvoiceEvent } from './events.ts'
import { createInvoicing, type IssuingDeps } from './issueDocuments.ts'

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())
beforeEach(() =>
  db.pool.query('truncate event, stream_snapshot, invoice, invoice_document, projection_checkpoint, year_key'),
)

const SELLER = { name: 'Kinora Ltd', address: ['1 High Street'], vatId: 'DE123456789' }
const SETTINGS: InvoiceSettings = { seller: SELLER, taxRate: 19, reverseCharge: true, series: 'K', years: 10 }
const NOBODY = BillingDetails.parse({})
const ADA = { language: 'en' as const, fullName: 'Ada', details: NOBODY }
const START = Date.parse('2026-11-01T10:00:00.000Z')

/** A book with its sales, of which each user buys packs. */
function openBook({ settings = SETTINGS, readBuyer = async () => ADA, ...more }: Partial<IssuingDeps> = {}) {
  let now = START
  let sales = 0
  const sent: string[] = []
  const handle = createHandle(db.store)
  const keys = createYearKeys(db.database, 'ab'.repeat(32))
  const at = () => {
    now += 1_000
    return new Date(now).toISOString()
  }
  const send = (command: SubscriptionCommand) => {
    const commandId = JSON.stringify(command)
    return handle(subscription, command.userId, command, { commandId, actor: 'system', correlationId: commandId })
  }
  const project = () => projectLog([invoices, invoiceDocuments], { store: db.store, database: db.database })
  const deps: IssuingDeps = {
    ...{ database: db.database, handle, keys, settings, readBuyer, calendar: () => now },
    changes: { waitFor: () => project() as never },
    mails: {
      unsent: async (mails) => mails.filter(({ key }) => !sent.includes(key)),
      // At most once per key.
      send: async (_, key) => void (sent.includes(key) || sent.push(key)),
    },
    ...more,
  }
  const invoicing = createInvoicing(deps)
  return {
    ...{ sent, keys, invoicing, send, at, deps },
    wait(ms: number) {
      now += ms
    },
    async sell(userId: string, amountCents = 499) {
      const [agreementId, saleId] = [`order ${++sales}`, `sale ${sales}`]
      const order = { userId, agreementId, pack: 'small', amountCents, currency: 'USD' }
      await send({ type: 'RequestPack', ...order, provider: 'paypal', credits: 300, at: at() })
      const sale = { userId, agreementId, saleId, amountCents, currency: 'USD', soldAt: at() }
      await send({ type: 'ReportPackSale', ...sale, at: at() })
      return saleId
    },
    refund: (
      userId: string,
      saleId: string,
      reversalId: string,
      amountCents: number,
      kind: 'refund' | 'reversal' = 'refund',
    ) => send({ type: 'ReportReversal', userId, saleId, reversalId, amountCents, kind, at: at() }),
    async issue() {
      await project()
      while (await invoicing.issueDue());
    },
  }
}

async function events(): Promise<InvoiceEvent[]> {
  const found: InvoiceEvent[] = []
  for await (const { type, data } of db.store.readStream<InvoiceEvent>('invoiceBook-main'))
    found.push({ type, data } as InvoiceEvent)
  return found
}
const numbers = async () => (await events()).map(({ data }) => [data.number, data.saleId])
const [ada, bob] = [crypto.randomUUID(), crypto.randomUUID()]

describe('the book of invoices', () => {
  it('numbers sales in their order, once, and mails each', async () => {
    const book = openBook()
    for (const user of [ada, bob, ada]) await book.sell(user)
    await Promise.all([book.issue(), book.issue(), book.issue()])
    await book.issue()
    const expected = [1, 2, 3].map((n) => [`K-00000${n}`, `sale ${n}`])
    expect(await numbers()).toEqual(expected)
    expect(book.sent.toSorted()).toEqual(expected.map(([number]) => `document ${number}`))
    expect(await book.invoicing.isDue()).toBe(false)
  })

  it('waits for the seller, then numbers what was sold before', async () => {
    const before = openBook({ settings: { ...SETTINGS, seller: undefined } })
    await before.sell(ada)
    await before.sell(bob)
    await before.issue()
    expect([await before.invoicing.isDue(), await numbers()]).toEqual([false, []])
    const after = openBook()
    await after.issue()
    expect(await numbers()).toEqual([1, 2].map((n) => [`K-00000${n}`, `sale ${n}`]))
  })

  it('mails no sale of more than 30 days ago', async () => {
    const book = openBook()
    await book.sell(ada)
    book.wait(31 * 24 * 3_600_000)
    await book.issue()
    expect([await numbers(), book.sent]).toEqual([[['K-000001', 'sale 1']], []])
  })

  it('mails a document once, although the process dies between the book and the mail', async () => {
    const sent: string[] = []
    const mails: IssuingDeps['mails'] = {
      unsent: async (all) => all.filter(({ key }) => !sent.includes(key)),
      send: async () => {
        throw new Error('killed')
      },
    }
    const dying = openBook({ mails })
    await dying.sell(ada)
    await expect(dying.issue()).rejects.toThrow('killed')
    expect(await dying.invoicing.isDue()).toBe(true)
    const next = openBook({ mails: { ...mails, send: async (_, key) => void sent.push(key) } })
    await next.issue()
    await next.issue()
    expect([await numbers(), sent]).toEqual([[['K-000001', 'sale 1']], ['document K-000001']])
  })

  it('starts another series at 1, and does not number a sale again', async () => {
    const book = openBook()
    await book.sell(ada)
    await book.issue()
    const other = openBook({ settings: { ...SETTINGS, series: 'L' } })
    const sale = 'sale 2'
    await other.send({
      type: 'RequestPack',
      userId: ada,
      agreementId: 'o',
      provider: 'paypal',
      pack: 'small',
      amountCents: 499,
      currency: 'USD',
      credits: 300,
      at: other.at(),
    })
    await other.send({
      type: 'ReportPackSale',
      userId: ada,
      agreementId: 'o',
      saleId: sale,
      amountCents: 499,
      currency: 'USD',
      soldAt: other.at(),
      at: other.at(),
    })
    await other.issue()
    expect(await numbers()).toEqual([
      ['K-000001', 'sale 1'],
      ['L-000001', sale],
    ])
  })
})

describe('a credit note', () => {
  it('is issued for each part of a refund, with the tax of the whole', async () => {
    const book = openBook()
    const sale = await book.sell(ada)
    for (const [id, cents] of [
      ['r1', 101],
      ['r2', 199],
      ['r3', 199],
    ] as const)
      await book.refund(ada, sale, id, cents)
    await book.issue()
    const [invoice, ...notes] = await events()
    expect(invoice).toMatchObject({ type: 'InvoiceIssued', data: { amountCents: 499, taxCents: 80 } })
    expect(notes.map(({ type, data }) => [type, data.invoice, data.amountCents])).toEqual([
      ['CreditNoteIssued', 'K-000001', 101],
      ['CreditNoteIssued', 'K-000001', 199],
      ['CreditNoteIssued', 'K-000001', 199],
    ])
    expect(notes.reduce((sum, { data }) => sum + data.taxCents, 0)).toBe(80)
  })

  it('of a chargeback is followed by an invoice if the dispute is won', async () => {
    const book = openBook()
    const sale = await book.sell(ada)
    await book.refund(ada, sale, 'chargeback', 499, 'reversal')
    const dispute = { userId: ada, saleId: sale, disputeId: 'd' }
    await book.send({ type: 'ReportDispute', ...dispute, outcome: 'won', statusAt: book.at(), at: book.at() })
    await book.issue()
    expect(
      (await events()).map(({ type, data }) => [type, data.number, data.invoice, data.amountCents, data.taxCents]),
    ).toEqual([
      ['InvoiceIssued', 'K-000001', undefined, 499, 80],
      ['CreditNoteIssued', 'K-000002', 'K-000001', 499, 80],
      ['InvoiceIssued', 'K-000003', 'K-000001', 499, 80],
    ])
  })

  it('is not issued for a sale with a wrong amount, which has no invoice', async () => {
    const book = openBook()
    const order = { userId: ada, agreementId: 'o', pack: 'small', amountCents: 499, currency: 'USD' }
    await book.send({ type: 'RequestPack', ...order, provider: 'paypal', credits: 300, at: book.at() })
    const sale = { ...order, amountCents: 1, saleId: 's', soldAt: book.at() }
    await book.send({ type: 'ReportPackSale', ...sale, at: book.at() })
    await book.refund(ada, 's', 'r', 1)
    await book.issue()
    expect([await events(), await book.invoicing.isDue()]).toEqual([[], false])
  })

  it('has the rate of its invoice, although the rate changed', async () => {
    const book = openBook()
    const sale = await book.sell(ada)
    await book.issue()
    await book.refund(ada, sale, 'r', 499)
    await openBook({ settings: { ...SETTINGS, taxRate: 7, seller: { ...SELLER, name: 'Another' } } }).issue()
    expect((await events()).map(({ data }) => data.taxCents)).toEqual([80, 80])
  })
})

describe('the content of an invoice', () => {
  const contentOf = async (book: ReturnType<typeof openBook>): Promise<InvoiceDocument> => {
    const { data } = (await events()).at(-1)!
    const about = { purpose: 'invoice', userId: data.userId, row: data.documentId }
    return JSON.parse((await book.keys.decrypt(2026, about, data.sealed))!)
  }

  it('is what was known of the buyer then', async () => {
    const details = { ...NOBODY, name: 'Ada & Co', address: 'Rynek 1\nŁódź', country: 'Poland' }
    const book = openBook({ readBuyer: async () => ({ ...ADA, details }) })
    await book.sell(ada)
    await book.issue()
    await openBook().issue()
    expect(await contentOf(book)).toMatchObject({
      seller: SELLER,
      buyer: { name: 'Ada & Co', address: ['Rynek 1', 'Łódź', 'Poland'], vatId: '' },
      item: ['Kinora credit pack', '300 credits'],
      ...{ amountCents: 499, taxCents: 80, currency: 'USD', rate: 19, reverseCharge: false },
    })
  })

  it.each([
    ['of another member state, which owes the tax', 'ATU12345678', true],
    ['of the seller’s state, which does not', 'DE987654321', false],
    ['of no member state, which does not', 'CHE123456789', false],
  ])('depends on a VAT ID %s', async (_, vat_id, reverseCharge) => {
    const book = openBook({ readBuyer: async () => ({ ...ADA, details: { ...NOBODY, vat_id } }) })
    await book.sell(ada)
    await book.issue()
    const rate = reverseCharge ? 0 : 19
    expect(await contentOf(book)).toMatchObject({ reverseCharge, rate, taxCents: reverseCharge ? 0 : 80 })
  })

  it('leaves the tax with the seller unless the operator has set REVERSE_CHARGE', async () => {
    const settings = { ...SETTINGS, reverseCharge: false }
    const book = openBook({
      settings,
      readBuyer: async () => ({ ...ADA, details: { ...NOBODY, vat_id: 'ATU12345678' } }),
    })
    await book.sell(ada)
    await book.issue()
    expect(await contentOf(book)).toMatchObject({ reverseCharge: false, taxCents: 80 })
  })

  it('has no buyer if the account was deleted before, and is gone with the key of its year', async () => {
    const book = openBook({ readBuyer: async () => undefined })
    await book.sell(ada)
    await book.issue()
    expect(await contentOf(book)).toMatchObject({ buyer: null, language: 'en' })
    const { documentId } = (await events())[0]!.data
    expect(await book.invoicing.pdf(documentId, bob)).toBeUndefined()
    await book.keys.destroyBefore(2026)
    const found = await book.invoicing.pdf(documentId, ada)
    expect(found?.name).toBe('K-000001.pdf')
    await book.keys.destroyBefore(2027)
    expect(await book.invoicing.pdf(documentId, ada)).toBeUndefined()
  })
})
