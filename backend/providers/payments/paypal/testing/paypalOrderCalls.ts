import type { ModelOrder, PaypalModel } from './paypalModel.ts'
import { NOT_FOUND, type Reply, refused } from './paypalReplies.ts'

interface OrderBody {
  intent: string
  purchase_units: {
    custom_id: string
    invoice_id: string
    description: string
    amount: { currency_code: string; value: string }
  }[]
  payment_source: { paypal: { experience_context: Record<string, string> } }
}

const wire = ({ unit, captures, ...order }: ModelOrder) => ({
  ...order,
  purchase_units: [{ reference_id: 'default', ...unit, ...(captures.length > 0 && { payments: { captures } }) }],
})

/** Answers a call of the Orders API v2. */
export function answerOrderCall(model: PaypalModel, base: string, call: string, body: string): Reply {
  if (call === 'POST /v2/checkout/orders') return create(model, base, JSON.parse(body))
  const [, method, id = '', action] = /^(\w+) \/v2\/checkout\/orders\/([^/]+)(?:\/(\w+))?$/.exec(call) ?? []
  const order = model.orders.get(decodeURIComponent(id))
  if (!order) return NOT_FOUND()
  if (method === 'GET' && action === undefined) return { status: 200, body: wire(order) }
  if (method !== 'POST' || action !== 'capture') return NOT_FOUND()
  if (order.status === 'COMPLETED') return refused(422, 'ORDER_ALREADY_CAPTURED', 'Order already captured.')
  if (order.status !== 'APPROVED') return refused(422, 'ORDER_NOT_APPROVED', 'Payer has not yet approved the Order.')
  if (order.declined) return refused(422, 'INSTRUMENT_DECLINED', 'The instrument presented was declined.')
  model.capture(order.id)
  return { status: 201, body: wire(order) }
}

function create(model: PaypalModel, base: string, { intent, purchase_units, payment_source }: OrderBody): Reply {
  const [unit, ...others] = purchase_units
  const context = payment_source.paypal.experience_context
  const isWellFormed =
    intent === 'CAPTURE' &&
    unit &&
    others.length === 0 &&
    unit.custom_id.length <= 127 &&
    unit.invoice_id.length <= 127 &&
    unit.description.length <= 127 &&
    /^\d+\.\d\d$/.test(unit.amount.value) &&
    /^[a-z]{2}-[A-Z]{2}$/.test(context.locale ?? '') &&
    context.shipping_preference === 'NO_SHIPPING' &&
    context.user_action === 'PAY_NOW' &&
    URL.canParse(context.return_url ?? '') &&
    URL.canParse(context.cancel_url ?? '')
  if (!isWellFormed) return refused(400, 'INVALID_PARAMETER_VALUE')
  const made = model.order(unit)
  const links = [
    { href: `${base}/v2/checkout/orders/${made.id}`, rel: 'self' },
    { href: `https://www.sandbox.paypal.com/checkoutnow?token=${made.id}`, rel: 'payer-action' },
  ]
  return { status: 200, body: { ...wire(made), links } }
}
