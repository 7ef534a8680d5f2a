import type { Decider, Decision } from '../kernel/eventsourcing/pure/decider.ts'
import { type EndedIds, hasEnded, noEndedIds, weightOfEnded, withEnded } from '../kernel/eventsourcing/pure/endedIds.ts'
import { INVOICE_BOOK, INVOICE_BOOK_EVENTS, type InvoiceEvent } from './events.ts'

/** The last number of each series, and the documents that were issued. */
interface InvoiceBook {
  readonly last: Readonly<Record<string, number>>
  readonly issued: EndedIds
}

type Unnumbered<T extends InvoiceEvent['type']> = Omit<InvoiceEvent<T>['data'], 'number'>

export type InvoiceCommand =
  | Readonly<{ type: 'IssueInvoice'; series: string } & Unnumbered<'InvoiceIssued'>>
  | Readonly<{ type: 'IssueCreditNote'; series: string } & Unnumbered<'CreditNoteIssued'>>

/** Id of the one book. It numbers all series, so that a document is not numbered again in another one. */
export const BOOK = 'main'

const numberOf = (series: string, n: number) => `${series}-${String(n).padStart(6, '0')}`

function decide(command: InvoiceCommand, { last, issued }: InvoiceBook): readonly InvoiceEvent[] {
  if (hasEnded(issued, command.documentId)) return []
  const number = numberOf(command.series, (last[command.series] ?? 0) + 1)
  switch (command.type) {
    case 'IssueInvoice': {
      const { type: _, series: __, ...data } = command
      return [{ type: 'InvoiceIssued', data: { number, ...data } }]
    }
    case 'IssueCreditNote': {
      const { type: _, series: __, ...data } = command
      return [{ type: 'CreditNoteIssued', data: { number, ...data } }]
    }
  }
}

function evolve({ last, issued }: InvoiceBook, { data: { number, documentId } }: InvoiceEvent): InvoiceBook {
  const dash = number.lastIndexOf('-')
  const series = number.slice(0, dash)
  return { last: { ...last, [series]: Number(number.slice(dash + 1)) }, issued: withEnded(issued, documentId) }
}

/** Returns what a number, an amount or a tax breaks: gaps, repetitions, and taxes that are larger than their amounts. */
function faultOf({ before, events }: Decision<InvoiceBook, InvoiceCommand, InvoiceEvent>): string | undefined {
  const next = new Map(Object.entries(before.last))
  for (const { number, amountCents, taxCents } of events.map(({ data }) => data)) {
    const [, series = '', digits] = /^(.*)-([0-9]{6,})$/.exec(number) ?? []
    const expected = (next.get(series) ?? 0) + 1
    if (Number(digits) !== expected) return `${number} is not the number ${expected} of its series`
    // The tax of a part of one cent can be the whole part.
    if (!(taxCents >= 0 && taxCents <= amountCents)) return `${number} has a tax of ${taxCents} in ${amountCents}`
    next.set(series, expected)
  }
  return undefined
}

/** Numbers invoices and credit notes without gaps, each document once. See docs/decisions/0071-invoices.md. */
export const invoiceBook: Decider<InvoiceBook, InvoiceCommand, InvoiceEvent> = {
  category: INVOICE_BOOK,
  schemas: INVOICE_BOOK_EVENTS,
  initial: { last: {}, issued: noEndedIds },
  evolve,
  decide,
  faultOf,
  hashChained: true,
  snapshotVersion: 1,
  weight: ({ issued }) => weightOfEnded(issued),
}
