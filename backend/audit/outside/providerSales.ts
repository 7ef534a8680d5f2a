import type { Stored } from '../../kernel/eventsourcing/eventStore.port.ts'
import type { SubscriptionEvent } from '../../subscriptions/events.ts'
import type { ListedSale } from '../../subscriptions/paymentProvider.port.ts'
import { type Deviations, type Place, placeOf } from '../deviation.ts'

/** Returns the sales of an agreement or order; undefined if its payment provider is not set up. */
export type ListSales = (
  agreementId: string,
  isOrder: boolean,
) => Promise<readonly Pick<ListedSale, 'id' | 'amountCents' | 'currency'>[] | undefined>

type Sale = Place & Pick<SubscriptionEvent<'SubscriptionPaid'>['data'], 'saleId' | 'amountCents' | 'currency'>

interface Sold {
  readonly isOrder: boolean
  readonly sales: Sale[]
}

/** Compares the sales that granted credits with those that the payment provider lists for their agreements. */
export class ProviderSales {
  readonly #sales = new Map<string, Sold>()
  readonly #listSales: ListSales

  constructor(listSales: ListSales) {
    this.#listSales = listSales
  }

  take(event: Stored<SubscriptionEvent>): void {
    if (event.type !== 'SubscriptionPaid' && event.type !== 'PackPaid') return
    const { agreementId, saleId, amountCents, currency } = event.data
    const sold = this.#sales.get(agreementId) ?? { isOrder: event.type === 'PackPaid', sales: [] }
    sold.sales.push({ ...placeOf(event), saleId, amountCents, currency })
    this.#sales.set(agreementId, sold)
  }

  /** Returns the numbers of sales that were compared, and of those whose provider is not set up. @throws PaymentProviderDown */
  async compare(deviations: Deviations): Promise<{ compared: number; unreached: number }> {
    let [compared, unreached] = [0, 0]
    for (const [agreementId, { isOrder, sales }] of this.#sales) {
      const listed = await this.#listSales(agreementId, isOrder)
      if (!listed) {
        unreached += sales.length
        continue
      }
      for (const { saleId, amountCents, currency, ...place } of sales) {
        compared += 1
        const known = listed.find(({ id }) => id === saleId)
        if (!known) deviations.add('grant', place, `The payment provider does not know the sale ${saleId}.`)
        else if (known.amountCents !== amountCents || known.currency !== currency)
          deviations.add('grant', place, `The payment provider lists the sale ${saleId} with another amount.`)
      }
    }
    return { compared, unreached }
  }
}
