import * as z from 'zod/mini'
import type { NewOrder, ProviderOrder } from '#backend/subscriptions/paymentProvider.port.ts'
import { packName } from '../packName.ts'
import { decimalOf, feeOf, smallestUnits } from './amounts.ts'
import { type PaypalApi, PaypalRefusal } from './paypalApi.ts'
import { Id, Instant, known, Money } from './paypalShapes.ts'

const Created = z.object({ id: Id, links: z.optional(z.array(z.object({ rel: z.string(), href: z.url() }))) })
const Capture = z.object({
  id: Id,
  status: z.string(),
  amount: Money,
  create_time: Instant,
  seller_receivable_breakdown: z.optional(z.object({ paypal_fee: z.optional(Money) })),
})
const Unit = z.object({
  custom_id: z.optional(z.string()),
  payments: z.optional(z.object({ captures: z.optional(z.array(Capture)) })),
})
const Order = z.object({ id: Id, status: z.string(), purchase_units: z.array(Unit) })

/** Statuses of captures whose money was paid. */
const PAID = ['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED']

/** Links to the page on which the buyer pays: the second is that of orders without a payment source. */
const PAY = ['payer-action', 'approve']

const pathOf = (orderId: string) => `/v2/checkout/orders/${encodeURIComponent(orderId)}`

/** Creates an order with PayPal's Orders API v2: https://developer.paypal.com/docs/api/orders/v2. */
export async function createOrder(api: PaypalApi, order: NewOrder) {
  const { requestId, userId, amountCents, currency, language, returnUrl, cancelUrl } = order
  const body = {
    intent: 'CAPTURE',
    purchase_units: [
      {
        custom_id: userId,
        // PayPal refuses a second payment for the same invoice.
        invoice_id: requestId,
        description: packName(order),
        amount: { currency_code: currency, value: decimalOf(amountCents) },
      },
    ],
    payment_source: {
      paypal: {
        experience_context: {
          brand_name: 'Kinora',
          locale: language === 'zh' ? 'zh-CN' : 'en-US',
          shipping_preference: 'NO_SHIPPING',
          user_action: 'PAY_NOW',
          return_url: returnUrl,
          cancel_url: cancelUrl,
        },
      },
    },
  }
  const { id, links = [] } = await api.post('/v2/checkout/orders', Created, body, requestId)
  return { orderId: id, paymentUrl: links.find(({ rel }) => PAY.includes(rel))?.href }
}

/** Captures an order that the buyer has approved, because the approval moves no money, and returns the order. */
export async function collectOrder(
  api: PaypalApi,
  orderId: string,
  beforeTaking?: (userId: string) => Promise<void>,
): Promise<ProviderOrder | undefined> {
  const path = pathOf(orderId)
  const read = () => known(api.get(path, Order))
  const order = await read()
  const found = order && orderOf(order)
  // An order without a user was made by another shop with this account.
  if (order?.status !== 'APPROVED' || !found?.userId) return found
  await beforeTaking?.(found.userId)
  try {
    return orderOf(await api.post(`${path}/capture`, Order, {}, `capture-${orderId}`))
  } catch (error) {
    // The card was declined, or another process has captured the order.
    if (!(error instanceof PaypalRefusal) || error.status !== 422) throw error
    const latest = await read()
    return latest && orderOf(latest)
  }
}

function orderOf({ purchase_units: [unit] }: z.infer<typeof Order>): ProviderOrder {
  const capture = unit?.payments?.captures?.find(({ status }) => PAID.includes(status))
  const userId = unit?.custom_id || undefined
  if (!capture) return { userId, sale: undefined }
  const { id, amount, create_time: soldAt, seller_receivable_breakdown } = capture
  const currency = amount.currency_code
  const feeCents = feeOf(seller_receivable_breakdown?.paypal_fee, currency)
  return { userId, sale: { id, amountCents: smallestUnits(amount.value, currency), currency, soldAt, feeCents } }
}
