import type { Stored } from '../../kernel/eventsourcing/eventStore.port.ts'
import type { SubscriptionEvent } from '../../subscriptions/events.ts'
import type { PaymentProvider } from '../../subscriptions/paymentProvider.port.ts'
import { type Deviations, type Place, placeOf } from '../deviation.ts'

export type ListSales = PaymentProvider['listSales']

type Sale = Place & Pick<SubscriptionEvent<'SubscriptionPaid'>['data'], 'saleId' | 'amountCents' | 'currency'>

/** Compares the sales that granted credits with those that the payment provider lists for their agreements. */
export class ProviderSales {
  readonly #sales = new Map<string, Sale[]>()
  readonly #listSales: ListSales

  constructor(listSales: ListSales) {
    this.#listSales = listSales
  }

  take(event: Stored<SubscriptionEvent>): void {
    if (event.type !== 'SubscriptionPaid') return
    const { agreementId, saleId, amountCents, currency } = event.data
    const sale = { ...placeOf(event), saleId, amountCents, currency }
    this.#sales.set(agreementId, [...(this.#sales.get(agreementId) ?? []), sale])
  }

  /** Returns the number of sales that were compared. @throws PaymentProviderDown */
  async compare(deviations: Deviations): Promise<number> {
    let compared = 0
    for (const [agreementId, sales] of this.#sales) {
      // The calendar of a development installation can be ahead of this clock.
      const listed = await this.#listSales(agreementId, '2000-01-01T00:00:00.000Z', '2100-01-01T00:00:00.000Z')
      for (const { saleId, amountCents, currency, ...place } of sales) {
        compared += 1
        const known = listed.find(({ id }) => id === saleId)
        if (!known) deviations.add('grant', place, `The payment provider does not know the sale ${saleId}.`)
        else if (known.amountCents !== amountCents || known.currency !== currency)
          deviations.add('grant', place, `The payment provider lists the sale ${saleId} with another amount.`)
      }
    }
    return compared
  }
}
