import { Refused, type StripeModel, type Wire, wireOf } from './stripeModel.ts'

const PRICE = 'line_items[][price_data]'
const PLAN = 'subscription_data'
const RETURN = 'flow_data[after_completion]'
const END = 'cancellation_details[comment]'

type Handler = (model: StripeModel, params: Wire, id: string) => unknown

/**
 * The calls, with all of the parameters that each may have: those of lists without their number, and metadata without names.
 * `payment_method_types` was removed in endive.
 */
const CALLS: Readonly<Record<string, readonly [parameters: string, handler: Handler]>> = {
  'POST /v1/checkout/sessions': [
    `mode client_reference_id locale success_url cancel_url metadata[] adaptive_pricing[enabled] line_items[][quantity]
    ${PRICE}[currency] ${PRICE}[unit_amount] ${PRICE}[tax_behavior] ${PRICE}[product_data][name] ${PRICE}[recurring][interval]
    ${PLAN}[metadata][] ${PLAN}[trial_end] ${PLAN}[billing_cycle_anchor] ${PLAN}[proration_behavior]
    payment_intent_data[metadata][] payment_method_options[wechat_pay][client]`,
    createSession,
  ],
  'POST /v1/checkout/sessions/:id/expire': ['', (model, _, id) => model.expire(id)],
  'POST /v1/subscriptions/:id': [
    `cancel_at cancel_at_period_end default_payment_method metadata[] ${END}`,
    changeSubscription,
  ],
  'DELETE /v1/subscriptions/:id': [`prorate invoice_now ${END}`, (model, _, id) => model.cancel(id)],
  'POST /v1/customers/:id': [
    'invoice_settings[default_payment_method]',
    (model, { invoice_settings }, id) => Object.assign(model.find(id, 'customer'), { invoice_settings }),
  ],
  'POST /v1/billing_portal/sessions': [
    `customer return_url flow_data[type] ${RETURN}[type] ${RETURN}[redirect][return_url]`,
    (model, { customer, return_url }) => {
      model.find(customer, 'customer')
      const session = model.add('bps', 'billing_portal.session', { customer, return_url })
      return Object.assign(session, { url: `${model.url}/p/session/${session.id}` })
    },
  ],
  'POST /v1/refunds': [
    'payment_intent amount reason metadata[]',
    (model, params) => model.refund(params.payment_intent, params),
  ],
  ...readCalls('checkout/sessions', 'checkout.session', 'subscription'),
  ...readCalls('subscriptions', 'subscription'),
  ...readCalls('invoices', 'invoice', 'subscription status'),
  ...readCalls('charges', 'charge', 'customer payment_intent'),
  ...readCalls('refunds', 'refund', 'payment_intent charge'),
  ...readCalls('disputes', 'dispute', 'payment_intent charge'),
  ...readCalls('radar/early_fraud_warnings', 'radar.early_fraud_warning'),
}

/** Returns the calls that read an object, and list some by the values of their fields. */
function readCalls(folder: string, object: string, filters = ''): typeof CALLS {
  const check = (model: StripeModel) => {
    if (object === 'checkout.session' && !model.keepsSessions)
      throw new Refused(404, 'resource_missing', 'No such checkout.session')
  }
  const read: Handler = (model, _, id) => {
    check(model)
    return model.find(id, object)
  }
  const list: Handler = (model, params) => {
    check(model)
    return listOf(model, object, params)
  }
  const paging = 'limit starting_after created[gte] created[lte]'
  return { [`GET /v1/${folder}/:id`]: ['', read], [`GET /v1/${folder}`]: [`${filters} ${paging}`, list] }
}

/** Answers a call of a valid key. @throws Refused */
export function answerCall(model: StripeModel, method: string, path: string, form: URLSearchParams): Wire {
  const [, id = ''] = /\/([a-z]+_(?:test_)?\w+)(?=\/expire$|$)/.exec(path.replace('early_fraud_warnings', '')) ?? []
  const [parameters, handler] = CALLS[`${method} ${id ? path.replace(id, ':id') : path}`] ?? []
  if (!handler) throw new Refused(404, '', `Unrecognized request URL (${method}: ${path}).`)
  const allowed = parameters?.split(/\s+/) ?? []
  for (const name of form.keys()) {
    const general = name.replace(/\[\d+\]/g, '[]').replace(/(metadata\]?)\[\w+\]$/, '$1[]')
    if (general !== 'expand[]' && !allowed.includes(general))
      throw new Refused(400, 'parameter_unknown', `Received unknown parameter: ${name}`, name)
  }
  const params = treeOf(form)
  const answer = handler(model, params, id) as Wire
  return expanded(model, answer.object === 'list' ? answer : wireOf(answer), params.expand ?? [])
}

/** Decodes `a[b][0]=1` as `{ a: { b: ['1'] } }`. */
function treeOf(form: URLSearchParams): Wire {
  const tree: Wire = {}
  for (const [name, value] of form) {
    const keys = name.split(/[[\]]+/).filter(Boolean)
    let node = tree
    for (const [index, key] of keys.entries()) {
      const isList = /^\d+$/.test(keys[index + 1] ?? '')
      node = node[key] ??= index === keys.length - 1 ? value : isList ? [] : {}
    }
  }
  return tree
}

/** Replaces ids by their objects, by paths such as `data.payments` or `payment_intent.latest_charge`. */
function expanded(model: StripeModel, answer: Wire, paths: readonly string[]): Wire {
  if (answer.object === 'list')
    for (const each of answer.data)
      if (each.object === 'invoice' && !paths.includes('data.payments')) delete each.payments
  if (!model.readsBalance && paths.some((path) => path.includes('balance_transaction')))
    throw new Refused(403, '', 'The provided key does not have the required permissions for this endpoint.')
  for (const path of paths) {
    const [first, ...rest] = path.split('.')
    const isOfList = first === 'data'
    for (const each of isOfList ? answer.data : [answer]) {
      let node: Wire | undefined = each
      for (const key of isOfList ? rest : [first as string, ...rest]) {
        if (!node) break
        const named: unknown = node[key]
        if (typeof named === 'string') node[key] = wireOf(model.objects.get(named) as Wire)
        node = node[key] as Wire | undefined
      }
    }
  }
  return answer
}

function listOf(model: StripeModel, object: string, params: Wire): Wire {
  const { created, limit = 10, starting_after, expand: _, ...filters } = params
  const { payment_intent } = filters
  if (payment_intent && !model.objects.has(payment_intent))
    throw new Refused(400, 'resource_missing', `No such payment_intent: '${payment_intent}'`, 'payment_intent')
  const isWithin = (each: Wire) =>
    each.created >= Number(created?.gte ?? 0) && each.created <= Number(created?.lte ?? Number.POSITIVE_INFINITY)
  // An invoice names its subscription through its parent.
  const fieldOf = (each: Wire, name: string) => each[name] ?? each.parent?.subscription_details[name]
  const isOf = (each: Wire) => Object.entries(filters).every(([name, value]) => fieldOf(each, name) === value)
  const found = model.all(object).filter((each) => isWithin(each) && isOf(each))
  const start = starting_after ? found.findIndex(({ id }) => id === starting_after) + 1 : 0
  const data = found.slice(start, start + Number(limit)).map(wireOf)
  return { object: 'list', data, has_more: found.length > start + data.length }
}

const HOURS_48 = 48 * 3600

function createSession(model: StripeModel, params: Wire): Wire {
  const { mode, success_url, cancel_url, line_items, subscription_data: data = {}, locale } = params
  const { currency, unit_amount, recurring } = line_items?.[0]?.price_data ?? {}
  const isPlan = mode === 'subscription'
  const refuse = (param: string, message = `Invalid ${param}`) => new Refused(400, 'parameter_invalid', message, param)
  if (!isPlan && mode !== 'payment') throw refuse('mode')
  if (!URL.canParse(success_url) || !URL.canParse(cancel_url)) throw new Refused(400, 'url_invalid', 'Not a valid URL')
  if (!(Number(unit_amount) > 0) || !/^[a-z]{3}$/.test(currency ?? '')) throw refuse('line_items')
  if (isPlan !== (recurring?.interval === 'month')) throw refuse('line_items', 'You must provide a recurring price')
  if (!['en', 'zh'].includes(locale)) throw refuse('locale')
  if (params[isPlan ? 'payment_intent_data' : 'subscription_data'])
    throw refuse('mode', 'You can not pass this parameter in this mode')
  if (data.trial_end && Number(data.trial_end) < model.seconds + HOURS_48)
    throw refuse('subscription_data[trial_end]', 'The `trial_end` date has to be at least 2 days in the future.')
  if (data.billing_cycle_anchor && (Number(data.billing_cycle_anchor) <= model.seconds || data.trial_end))
    throw refuse('subscription_data[billing_cycle_anchor]')
  const session = model.add('cs_test', 'checkout.session', {
    ...{ mode, success_url, cancel_url, locale, currency, status: 'open', payment_status: 'unpaid' },
    ...{ client_reference_id: params.client_reference_id ?? null, metadata: params.metadata ?? {} },
    ...{ amount_total: Number(unit_amount), expires_at: model.seconds + 24 * 3600, model: params },
    ...{ customer: null, subscription: null, payment_intent: null },
  })
  params.line_items[0].price_data.unit_amount = Number(unit_amount)
  session.url = `${model.url}/c/pay/${session.id}`
  return session
}

function changeSubscription(model: StripeModel, params: Wire, id: string): Wire {
  const subscription = model.find(id, 'subscription')
  const { status, metadata, items, canceled_at, cancel_at_period_end } = subscription
  if (status === 'canceled' || status === 'incomplete_expired')
    throw new Refused(400, '', 'A canceled subscription can only update its cancellation_details.')
  const { cancel_at_period_end: ends, cancel_at, default_payment_method, metadata: added } = params
  const change: Wire = { metadata: { ...metadata, ...added } }
  // An end that was set as a date stays.
  if (ends !== undefined && (ends === 'true' || cancel_at_period_end)) {
    const isEnding = ends === 'true'
    const end = isEnding ? items.data[0].current_period_end : null
    const at = isEnding ? (canceled_at ?? model.seconds) : null
    Object.assign(change, { cancel_at_period_end: isEnding, cancel_at: end, canceled_at: at })
  }
  if (cancel_at === '') Object.assign(change, { cancel_at: null, canceled_at: null })
  if (default_payment_method === '') change.default_payment_method = null
  model.turn(id, change)
  return subscription
}
