import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertSound } from '../kernel/eventsourcing/pure/decider.ts'
import type { InvoiceEvent } from './events.ts'
import { type InvoiceCommand, invoiceBook } from './invoiceBook.decider.ts'

const document = (documentId: string, series = 'INV') => ({
  ...{ documentId, series, userId: 'ada', saleId: `sale of ${documentId}`, amountCents: 1_299, taxCents: 207 },
  ...{ currency: 'EUR', sealed: 'sealed', at: '2026-01-01T00:00:00.000Z' },
})
const invoice = (documentId: string, series?: string) =>
  ({ type: 'IssueInvoice', ...document(documentId, series) }) as const
const creditNote = (documentId: string, series?: string) =>
  ({ type: 'IssueCreditNote', ...document(documentId, series), reversalId: 'refund', invoice: 'INV-000001' }) as const

/** Runs commands and returns their events. */
function run(...commands: readonly InvoiceCommand[]): readonly InvoiceEvent[] {
  let state = invoiceBook.initial
  return commands.flatMap((command) => {
    const before = state
    const events = invoiceBook.decide(command, state)
    state = events.reduce(invoiceBook.evolve, state)
    assertSound(invoiceBook, { command, before, events, after: state })
    return events
  })
}
const numbers = (...commands: readonly InvoiceCommand[]) => run(...commands).map(({ data }) => data.number)

describe('the book of invoices', () => {
  it('numbers invoices and credit notes of a series in one row', () => {
    expect(numbers(invoice('a'), creditNote('b'), invoice('c'))).toEqual(['INV-000001', 'INV-000002', 'INV-000003'])
  })

  it('numbers each series from one, also if its name has hyphens', () => {
    const commands = [invoice('a'), invoice('b', 'K-26'), invoice('c', 'K-26-A'), invoice('d', 'K-26'), invoice('e')]
    expect(numbers(...commands)).toEqual(['INV-000001', 'K-26-000001', 'K-26-A-000001', 'K-26-000002', 'INV-000002'])
  })

  it('issues a document once, in whichever series and kind it is asked for again', () => {
    const again = [invoice('a'), invoice('a', 'NEW'), creditNote('a')]
    expect(numbers(invoice('a'), ...again, invoice('b'))).toEqual(['INV-000001', 'INV-000002'])
  })

  it('stores what it is given, and the number instead of the series', () => {
    const { type: _, series: __, ...sold } = invoice('a')
    const { type: ___, series: ____, ...returned } = creditNote('b')
    expect(run(invoice('a'), creditNote('b'))).toEqual([
      { type: 'InvoiceIssued', data: { ...sold, number: 'INV-000001' } },
      { type: 'CreditNoteIssued', data: { ...returned, number: 'INV-000002' } },
    ])
  })

  it('counts on after a million documents', () => {
    const [{ data } = expect.fail('nothing was issued')] = run(invoice('a'))
    const event = { type: 'InvoiceIssued', data: { ...data, number: 'INV-999999' } } as const
    const state = invoiceBook.evolve(invoiceBook.initial, event)
    const next = invoiceBook.decide(invoice('b'), state)
    expect(next[0]?.data.number).toBe('INV-1000000')
    const after = next.reduce(invoiceBook.evolve, state)
    expect(invoiceBook.decide(invoice('c'), after)[0]?.data.number).toBe('INV-1000001')
    expect(() => assertSound(invoiceBook, { command: invoice('b'), before: state, events: next, after })).not.toThrow()
  })

  it('refuses a decision with a gap, a repetition, or a tax that its amount cannot hold', () => {
    const [event = expect.fail('nothing was issued')] = run(invoice('a'))
    const faultOf = (...changes: readonly Partial<InvoiceEvent['data']>[]) => {
      const events = changes.map((change) => ({ ...event, data: { ...event.data, ...change } })) as InvoiceEvent[]
      const before = invoiceBook.evolve(invoiceBook.initial, event)
      return invoiceBook.faultOf!({ command: invoice('b'), before, events, after: before })
    }
    const number = 'INV-000002'
    expect(faultOf({ number }, { number: 'INV-000003' })).toBe(undefined)
    expect(faultOf({ number, taxCents: 0 })).toBe(undefined)
    expect(faultOf({ number: 'INV-000003' })).toBe('INV-000003 is not the number 2 of its series')
    expect(faultOf({ number }, { number })).toBe('INV-000002 is not the number 3 of its series')
    expect(faultOf({ number: 'NEW-000002' })).toBe('NEW-000002 is not the number 1 of its series')
    expect(faultOf({ number: 'INV-2' })).toBe('INV-2 is not the number 1 of its series')
    for (const odd of ['000001', '-00001x', 'NEW-000001\n', 'NEW-00001', 'NEW-x000001'])
      expect(faultOf({ number: odd })).toContain('is not the number')
    expect(faultOf({ number: 'NEW-000001' })).toBe(undefined)
    expect(faultOf({ number, amountCents: 1, taxCents: 1 })).toBe(undefined)
    for (const [amountCents, taxCents] of [
      [-5, 0],
      [100, -1],
      [100, 101],
    ])
      expect(faultOf({ number, amountCents, taxCents })).toBe(`${number} has a tax of ${taxCents} in ${amountCents}`)
  })

  it('has neither gaps nor repetitions in any history', () => {
    const series = fc.constantFrom('INV', 'INV-2', 'K')
    const command = fc
      .tuple(fc.boolean(), fc.nat(40), series)
      .map(([isInvoice, id, name]) => (isInvoice ? invoice(`d${id}`, name) : creditNote(`d${id}`, name)))
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        const events = run(...commands)
        const documents = events.map(({ data }) => data.documentId)
        expect(documents).toEqual([...new Set(commands.map(({ documentId }) => documentId))])
        for (const name of ['INV', 'INV-2', 'K']) {
          const found = events.map(({ data }) => data.number).filter((number) => number.slice(0, -7) === name)
          expect(found).toEqual(found.map((_, i) => `${name}-${`00000${i + 1}`.slice(-6)}`))
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('begins its chain of hashes, and is larger with each document', () => {
    const states = [[], run(invoice('a')), run(invoice('a'), invoice('b'))].map((events) =>
      events.reduce(invoiceBook.evolve, invoiceBook.initial),
    )
    expect([invoiceBook.hashChained, invoiceBook.snapshotVersion]).toEqual([true, 1])
    expect(states.map(invoiceBook.weight!)).toEqual([0, 64, 128])
  })
})
