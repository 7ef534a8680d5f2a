import type * as z from 'zod/mini'
import type { ListedSale } from '#backend/subscriptions/paymentProvider.port.ts'
import { getChargeback } from './reversals.ts'
import { type StripeApi, withFees } from './stripeApi.ts'
import { Charge, feeOf, Invoice, type Subscription } from './stripeShapes.ts'

/** Returns the sales of a subscription between two ISO timestamps, oldest first. */
export async function listSales(
  api: StripeApi,
  agreementId: string,
  { id, customer }: Subscription,
  [from, to]: readonly [string, string],
): Promise<ListedSale[]> {
  const paid = { subscription: id, status: 'paid', expand: ['data.payments'] }
  const sales = (await api.list('/v1/invoices', Invoice, paid))
    .flatMap((invoice) => saleOf(agreementId, invoice))
    .filter(({ soldAt }) => soldAt >= from && soldAt <= to)
    .toSorted((a, b) => a.soldAt.localeCompare(b.soldAt))
  if (sales.length === 0) return []
  const charges = await withFees((fees) =>
    api.list('/v1/charges', Charge, { customer, expand: fees ? [`data${fees}`] : undefined }),
  )
  const listed: ListedSale[] = []
  for (const sale of sales) {
    const charge = charges.find((each) => each.payment_intent === sale.id && each.status === 'succeeded')
    const refunded = charge !== undefined && (await isTakenBack(api, charge, sale.id))
    listed.push({ ...sale, refunded, feeCents: charge && feeOf(charge) })
  }
  return listed
}

/** Returns the sale that an invoice is. That of 0 which opens a deferred start is none. */
function saleOf(agreementId: string, invoice: z.infer<typeof Invoice>): Omit<ListedSale, 'refunded'>[] {
  const { amount_paid: amountCents, currency, status_transitions, payments } = invoice
  const payment = payments?.data.find(({ status, payment: { payment_intent } }) => status === 'paid' && payment_intent)
  const id = payment?.payment.payment_intent
  const soldAt = status_transitions.paid_at
  return amountCents > 0 && id && soldAt
    ? [{ id, agreementId, amountCents, currency: currency.toUpperCase(), soldAt }]
    : []
}

async function isTakenBack(api: StripeApi, charge: z.infer<typeof Charge>, saleId: string): Promise<boolean> {
  if (charge.refunded || !charge.disputed) return charge.refunded
  const chargeback = await getChargeback(api, saleId, { unlessWon: true })
  return chargeback !== undefined && chargeback.amountCents + charge.amount_refunded >= charge.amount
}
