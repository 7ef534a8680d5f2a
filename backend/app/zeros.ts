import { readPayers } from '#projections/subscriptions/readMoney.ts'
import { readBuyer, readOpenAgreements } from '#projections/subscriptions/readSubscription.ts'
import { createOperatorAlerts } from '../operators/alerts/operatorAlerts.ts'
import { createSalesOf } from '../subscriptions/salesOf.ts'
import type { Adapters } from './adapters.ts'
import type { Context } from './context.ts'

/** Returns what the daily zero compares, and where it is stored. */
export function openZeros(context: Context, { payments }: Pick<Adapters, 'payments'>) {
  const { database, pool, log } = context
  return {
    ...context,
    salesOf: createSalesOf(payments),
    listReversals: payments.listReversals,
    payers: (from: string, to: string) => readPayers(database, from, to),
    openAgreements: () => readOpenAgreements(database),
    buyerOf: (saleId: string) => readBuyer(database, saleId),
    alerts: createOperatorAlerts(pool, log),
  }
}
