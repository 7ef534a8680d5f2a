import type { Method, Outcome, StripeModel, Wire } from './stripeModel.ts'

const TEXTS = {
  en: {
    title: 'Pay',
    notice: 'This is a double of Stripe for tests. No money is charged.',
    card: 'Card',
    alipay: 'Alipay',
    wechat_pay: 'WeChat Pay',
    pay: 'Pay',
    later: 'Pay, confirmed later',
    declined: 'Be declined',
    back: 'Go back',
    refused: 'Your payment was declined.',
    portal: 'Change your payment method',
    change: 'Store another card',
    over: 'This page needs nothing any more.',
  },
  zh: {
    title: '付款',
    notice: '这是用于测试的 Stripe 替身，不会产生任何扣款。',
    card: '银行卡',
    alipay: '支付宝',
    wechat_pay: '微信支付',
    pay: '付款',
    later: '付款，稍后确认',
    declined: '付款被拒',
    back: '返回',
    refused: '付款被拒绝。',
    portal: '更换付款方式',
    change: '保存另一张卡',
    over: '此页面已无需操作。',
  },
}

interface PageAnswer {
  readonly html?: string
  readonly location?: string
}

/** Serves the pages on which the buyer pays, changes the card, or completes an invoice; undefined for other paths. */
export function answerPage(model: StripeModel, method: string, path: string, form: URLSearchParams) {
  const [, kind, id = ''] = /^\/(c\/pay|p\/session|i)\/(\w+)$/.exec(path) ?? []
  const object = model.objects.get(id)
  if (!object) return undefined
  if (kind === 'c/pay') return checkout(model, object, method, form)
  return kind === 'i' ? invoice(model, object, method) : portal(model, object, method, form)
}

function checkout(model: StripeModel, session: Wire, method: string, form: URLSearchParams): PageAnswer {
  const language: 'en' | 'zh' = session.locale
  const t = TEXTS[language]
  const action = form.get('action')
  if (action === 'back') return { location: session.cancel_url }
  if (session.status !== 'open') return { html: page(language, t.title, `<p>${t.over}</p>`) }
  let refused = ''
  if (method === 'POST') {
    const outcome = (action === 'pay' ? 'paid' : action) as Outcome
    if (model.pay(session.id, { method: form.get('method') as Method, outcome }))
      return { location: session.success_url.replace('{CHECKOUT_SESSION_ID}', session.id) }
    refused = `<p role="alert">${t.refused}</p>`
  }
  const methods: readonly Method[] = session.mode === 'payment' ? ['card', 'alipay', 'wechat_pay'] : ['card']
  const radios = methods.map(
    (each, index) =>
      `<label><input type="radio" name="method" value="${each}"${index === 0 ? ' checked' : ''}> ${t[each]}</label>`,
  )
  const { name } = session.model.line_items[0].price_data.product_data
  const total = `${session.currency.toUpperCase()} ${(session.amount_total / 100).toFixed(2)}`
  const actions =
    session.mode === 'payment'
      ? (['pay', 'later', 'declined', 'back'] as const)
      : (['pay', 'declined', 'back'] as const)
  const buttons = actions.map((each) => button(each, t[each])).join('')
  return {
    html: page(language, `${name} · ${total}`, `${refused}<form method="post">${radios.join('')}${buttons}</form>`),
  }
}

function invoice(model: StripeModel, { status, parent }: Wire, method: string): PageAnswer {
  const { subscription } = parent.subscription_details
  const session = model.all('checkout.session').find((each) => each.subscription === subscription)
  const language = session?.locale === 'zh' ? 'zh' : 'en'
  const t = TEXTS[language]
  if (method === 'POST' && status === 'open') model.bill(subscription)
  const isOver = method === 'POST' || status !== 'open'
  const form = `<form method="post">${button('pay', t.pay)}</form>`
  return { html: page(language, t.title, isOver ? `<p>${t.over}</p>` : form) }
}

function portal(model: StripeModel, { customer, return_url }: Wire, method: string, form: URLSearchParams): PageAnswer {
  const language = /\/zh\b/.test(return_url) ? 'zh' : 'en'
  const t = TEXTS[language]
  if (method === 'POST') {
    if (form.get('action') === 'change') model.changeMethod(customer)
    return { location: return_url }
  }
  return {
    html: page(language, t.portal, `<form method="post">${button('change', t.change)}${button('back', t.back)}</form>`),
  }
}

const button = (action: string, label: string) => `<button name="action" value="${action}">${label}</button>`

const page = (language: 'en' | 'zh', title: string, content: string) => `<!doctype html>
<html lang="${language === 'zh' ? 'zh-CN' : 'en'}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title>
<style>body{font:16px/1.6 system-ui,sans-serif;max-width:420px;margin:48px auto;padding:0 16px}label,button{display:block;width:100%;margin:0 0 12px;min-height:44px}</style></head>
<body><main><h1>${title}</h1><p>${TEXTS[language].notice}</p>${content}</main></body></html>`
