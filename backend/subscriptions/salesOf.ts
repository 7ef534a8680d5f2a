import type { ProviderSale } from './paymentProvider.port.ts'
import type { Tills } from './tills.ts'

export type PaidSale = Pick<ProviderSale, 'id' | 'amountCents' | 'currency' | 'soldAt'>

/**
 * Creates the function that returns the sales of an agreement or order in a time, without taking money; undefined if its payment
 * provider is not set up. @throws PaymentProviderDown
 */
export const createSalesOf =
  (tills: Pick<Tills, 'reaches' | 'listSales' | 'collectOrder'>) =>
  async (id: string, isOrder: boolean, from: string, to: string): Promise<readonly PaidSale[] | undefined> => {
    if (!tills.reaches(id)) return undefined
    if (!isOrder) return tills.listSales(id, from, to)
    const unpaid = new Error('This only reads.')
    const order = await tills
      .collectOrder(id, () => Promise.reject(unpaid))
      .catch((error) => {
        if (error !== unpaid) throw error
        return undefined
      })
    return order?.sale ? [order.sale] : []
  }
