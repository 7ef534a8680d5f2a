import type { InvoiceEvent } from '../invoices/events.ts'
import type { Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import type { SubscriptionEvent } from '../subscriptions/events.ts'
import { type Deviations, type Place, placeOf } from './deviation.ts'

type Kind = 'sale' | 'reversal' | 'restoration'

/** What a document is due for. */
interface Due extends Place {
  readonly userId: string
  readonly saleId: string
  readonly amountCents: number
  /** Of a sale; others have that of their sale. */
  readonly currency: string | undefined
  readonly what: string
  readonly kind: Kind
  readonly at: number
}

/** Time limit for issuing a document, ms. It usually takes seconds, but longer while workflows are down. */
const ISSUED_WITHIN_MS = 24 * 3_600_000

/**
 * Checks that the book of invoices is without gaps, that each document has the sale, refund or dispute that it was issued
 * for, with the same amount, and that each of these has its document, once documents are issued.
 */
export class InvoiceProofs {
  readonly #due = new Map<string, Due>()
  /** Invoices of sales, by sale. */
  readonly #invoices = new Map<string, Pick<InvoiceEvent['data'], 'number' | 'currency'>>()
  readonly #last = new Map<string, number>()
  readonly #deviations: Deviations

  constructor(deviations: Deviations) {
    this.#deviations = deviations
  }

  takeSubscription(event: Stored<SubscriptionEvent>): void {
    switch (event.type) {
      case 'SubscriptionPaid':
      case 'PackPaid':
        this.#add(event, 'sale', event.data.saleId, event.data.amountCents, event.data.currency)
        break
      case 'SubscriptionSaleReversed':
        this.#add(event, 'reversal', event.data.reversalId, event.data.takenCents)
        break
      case 'SubscriptionSaleRestored':
        this.#add(event, 'restoration', event.data.restorationId, event.data.amountCents)
    }
  }

  #add(
    event: Stored<SubscriptionEvent & { data: { saleId: string } }>,
    kind: Kind,
    id: string,
    amountCents: number,
    currency?: string,
  ) {
    const { userId, saleId, at } = event.data
    const about = { userId, saleId, amountCents, currency, kind, what: `${kind} ${id}`, at: Date.parse(at) }
    const documentId = derivedId(kind, id)
    if (amountCents > 0 && !this.#due.has(documentId)) this.#due.set(documentId, { ...placeOf(event), ...about })
  }

  takeBook(event: Stored<InvoiceEvent>): void {
    const wrong = this.#faultOf(event)
    if (wrong) this.#deviations.add('invoice', event, wrong)
  }

  #faultOf({ type, data }: Stored<InvoiceEvent>): string | undefined {
    const { number, documentId, userId, saleId, amountCents, taxCents, currency, invoice } = data
    const [, series = '', digits] = /^(.*)-(\d{6,})$/.exec(number) ?? []
    const expected = (this.#last.get(series) ?? 0) + 1
    this.#last.set(series, Number(digits))
    if (Number(digits) !== expected) return `Its number is ${number}; ${expected} comes next in the series ${series}.`
    const due = this.#due.get(documentId)
    if (due?.userId !== userId || due.saleId !== saleId)
      return `No sale, refund or dispute of this user is behind ${number}.`
    this.#due.delete(documentId)
    const first = this.#invoices.get(saleId)
    if (due.kind === 'sale') this.#invoices.set(saleId, data)
    if ((due.kind === 'reversal') !== (type === 'CreditNoteIssued'))
      return `A ${due.kind} has another kind of document.`
    if (due.amountCents !== amountCents || (due.currency ?? first?.currency) !== currency)
      return `Its amount is ${amountCents} ${currency}; the ${due.what} is about ${due.amountCents}.`
    // The tax of a part of one cent can be the whole part.
    if (taxCents < 0 || taxCents > amountCents) return `Its tax is ${taxCents} of ${amountCents}.`
    if (invoice !== (due.kind === 'sale' ? undefined : first?.number))
      return `It names the invoice ${invoice} of another sale.`
    return undefined
  }

  /** Reports sales, and refunds of sales that have an invoice, without a document, once documents are issued. */
  end(now: number): void {
    if (this.#last.size === 0) return
    for (const { kind, saleId, what, at, ...place } of this.#due.values())
      if (now - at > ISSUED_WITHIN_MS && (kind === 'sale' || this.#invoices.has(saleId)))
        this.#deviations.add('invoice', place, `The ${what} has no ${kind === 'reversal' ? 'credit note' : 'invoice'}.`)
  }
}
