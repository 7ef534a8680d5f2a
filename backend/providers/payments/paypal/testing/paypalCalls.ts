import type { PaypalModel } from './paypalModel.ts'
import { answerOrderCall } from './paypalOrderCalls.ts'
import { NOT_FOUND, type Reply, refused } from './paypalReplies.ts'

/** Answers a call whose token has already been verified. */
export function answerCall(model: PaypalModel, base: string, method: string, url: URL, body: string): Reply {
  const call = `${method} ${url.pathname}`
  if (call === 'POST /v1/catalogs/products') return product(model, JSON.parse(body))
  if (call === 'POST /v1/billing/plans') return plan(model, JSON.parse(body))
  if (call === 'GET /v1/billing/plans') {
    const isOf = ({ product_id }: { product_id: string }) => product_id === url.searchParams.get('product_id')
    return { status: 200, body: { plans: [...model.plans.values()].filter(isOf) } }
  }
  if (call === 'GET /v1/reporting/transactions') return report(model, url.searchParams)
  if (method === 'GET') {
    const found = model.objects.get(decodeURIComponent(url.pathname))
    if (found) return { status: 200, body: found }
  }
  const [, refunded] = /^POST \/v2\/payments\/captures\/([^/]+)\/refund$/.exec(call) ?? []
  if (refunded) return refund(model, refunded, JSON.parse(body))
  if (url.pathname.startsWith('/v2/checkout/orders')) return answerOrderCall(model, base, call, body)
  if (call === 'POST /v1/billing/subscriptions') return subscribe(model, base, JSON.parse(body))
  const [, id = '', action] = /^\/v1\/billing\/subscriptions\/([^/]+)(?:\/(\w+))?$/.exec(url.pathname) ?? []
  const subscription = model.subscriptions.get(decodeURIComponent(id))
  if (!subscription) return NOT_FOUND()
  if (method === 'GET' && action === undefined) return { status: 200, body: model.wire(subscription) }
  if (method === 'GET' && action === 'transactions') {
    const [from, to] = ['start_time', 'end_time'].map((name) => Date.parse(url.searchParams.get(name) ?? ''))
    if (!Number.isFinite(from) || !Number.isFinite(to)) return refused(400, 'MISSING_REQUIRED_PARAMETER')
    const isWithin = ({ time }: { time: string }) => Date.parse(time) >= from! && Date.parse(time) <= to!
    return { status: 200, body: { transactions: subscription.transactions.filter(isWithin) } }
  }
  return method === 'POST' ? change(model, subscription.id, action, JSON.parse(body)) : NOT_FOUND()
}

interface RefundBody {
  amount: { value: string; currency_code: string }
  note_to_payer: string
}

/** Answers in the short form, which the API sends by default. */
function refund(model: PaypalModel, saleId: string, { amount, note_to_payer }: RefundBody): Reply {
  const isWellFormed =
    /^\d+\.\d\d$/.test(amount.value) && amount.currency_code.length === 3 && note_to_payer.length <= 255
  if (!isWellFormed) return refused(400, 'INVALID_PARAMETER_VALUE')
  const refundId = model.refundCapture(saleId, Math.round(Number(amount.value) * 100))
  if (refundId === undefined) return NOT_FOUND()
  if (refundId === 'too_much') return refused(422, 'REFUND_AMOUNT_EXCEEDED', 'More than the remaining amount.')
  return { status: 201, body: { id: refundId, status: 'COMPLETED', links: [] } }
}

const MAX_PERIOD_MS = 31 * 24 * 3_600_000

function report({ reports, mayReport }: PaypalModel, query: URLSearchParams): Reply {
  if (!mayReport) return refused(403)
  const [from, to] = ['start_date', 'end_date'].map((name) => Date.parse(query.get(name) ?? ''))
  const [size, page] = [Number(query.get('page_size') ?? 100), Number(query.get('page') ?? 1)]
  if (!(to! - from! <= MAX_PERIOD_MS) || !(size >= 1 && size <= 500) || page < 1) return refused(400)
  const found = reports.filter(({ transaction_event_code: code, transaction_initiation_date: date }) => {
    const isWithin = Date.parse(date) >= from! && Date.parse(date) <= to!
    return isWithin && code === (query.get('transaction_type') ?? code)
  })
  const transaction_details = found
    .slice((page - 1) * size, page * size)
    .map((transaction_info) => ({ transaction_info }))
  const total_pages = Math.ceil(found.length / size)
  return { status: 200, body: { transaction_details, total_items: found.length, total_pages, page } }
}

const CHANGES = {
  suspend: { from: ['ACTIVE'], to: 'SUSPENDED', event: 'SUSPENDED' },
  activate: { from: ['SUSPENDED'], to: 'ACTIVE', event: 'RE-ACTIVATED' },
  cancel: { from: ['ACTIVE', 'SUSPENDED'], to: 'CANCELLED', event: 'CANCELLED' },
} as const

function change(model: PaypalModel, id: string, action: string | undefined, { reason }: { reason?: string }): Reply {
  const transition = CHANGES[action as keyof typeof CHANGES]
  if (!transition) return NOT_FOUND()
  if (!reason || reason.length > 128) return refused(400, 'INVALID_STRING_LENGTH')
  const { from, to, event } = transition
  if (!from.some((status) => status === model.of(id).status)) {
    const needed = from.join(' or ').toLowerCase()
    const description = `Invalid subscription status for ${action} action; subscription status should be ${needed}.`
    return refused(422, 'SUBSCRIPTION_STATUS_INVALID', description)
  }
  model.turn(id, to, event)
  return { status: 204 }
}

function product({ products }: PaypalModel, { id, name, type }: { id: string; name: string; type: string }): Reply {
  if (!name || !['SERVICE', 'DIGITAL', 'PHYSICAL'].includes(type) || id.length < 6)
    return refused(400, 'INVALID_PARAMETER')
  if (products.has(id)) return refused(422, 'DUPLICATE_RESOURCE_IDENTIFIER', 'Duplicate resource identifier.')
  products.add(id)
  return { status: 201, body: { id, name } }
}

interface PlanBody {
  product_id: string
  name: string
  billing_cycles: { tenure_type: string; total_cycles: number; pricing_scheme: { fixed_price: { value: string } } }[]
}

function plan(model: PaypalModel, { product_id, name, billing_cycles: [cycle] }: PlanBody): Reply {
  if (!model.products.has(product_id)) return NOT_FOUND()
  if (cycle?.tenure_type !== 'REGULAR' || !/^\d+\.\d\d$/.test(cycle.pricing_scheme.fixed_price.value))
    return refused(400, 'INVALID_PARAMETER_VALUE')
  const made = {
    id: model.newId('P-'),
    product_id,
    name,
    status: 'ACTIVE',
    price: cycle.pricing_scheme.fixed_price.value,
  }
  model.plans.set(made.id, made)
  return { status: 201, body: made }
}

interface SubscriptionBody {
  plan_id: string
  custom_id: string
  start_time?: string
  application_context: Record<string, string>
}

function subscribe(model: PaypalModel, base: string, body: SubscriptionBody): Reply {
  const { plan_id, custom_id, start_time, application_context: context } = body
  if (!model.plans.has(plan_id)) return NOT_FOUND()
  const isWellFormed =
    custom_id.length <= 127 &&
    (start_time === undefined || Date.parse(start_time) > model.now) &&
    /^[a-z]{2}-[A-Z]{2}$/.test(context.locale ?? '') &&
    context.shipping_preference === 'NO_SHIPPING' &&
    context.user_action === 'SUBSCRIBE_NOW' &&
    URL.canParse(context.return_url ?? '') &&
    URL.canParse(context.cancel_url ?? '')
  if (!isWellFormed) return refused(400, 'INVALID_PARAMETER_VALUE')
  const made = model.open(plan_id, custom_id, start_time)
  const links = [
    { href: `https://www.sandbox.paypal.com/webapps/billing/subscriptions?ba_token=BA-${made.id}`, rel: 'approve' },
    { href: `${base}/v1/billing/subscriptions/${made.id}`, rel: 'self' },
  ]
  return { status: 201, body: { ...model.wire(made), links } }
}
