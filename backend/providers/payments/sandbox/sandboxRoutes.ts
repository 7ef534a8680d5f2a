import Router from '@koa/router'
import { koaBody } from 'koa-body'
import { Rejection } from '#backend/kernel/eventsourcing/pure/decider.ts'
import type { SandboxOrder } from './sandboxOrders.ts'
import type { SandboxAgreement, SandboxState } from './sandboxState.ts'

const TEXTS = {
  en: {
    title: 'Approve your subscription',
    notice: 'This is the payment sandbox of a development installation. No money is charged.',
    plan: 'Plan',
    price: 'Price',
    monthly: 'a month',
    starts: 'First payment',
    now: 'now',
    approve: 'Approve',
    cancel: 'Cancel',
    over: 'This subscription no longer needs approval.',
    order: 'Pay for your credits',
    item: 'Credits',
    pay: 'Pay',
    orderOver: 'This order needs no payment any more.',
  },
  zh: {
    title: '确认订阅',
    notice: '这是开发环境的支付沙盒，不会产生任何扣款。',
    plan: '套餐',
    price: '价格',
    monthly: '每月',
    starts: '首次付款',
    now: '立即',
    approve: '同意',
    cancel: '取消',
    over: '此处已没有需要确认的内容。',
    order: '支付积分',
    item: '积分',
    pay: '支付',
    orderOver: '该订单无需再付款。',
  },
} as const

/** Serves the sandbox's approval page and the actions of PayPal: renew, fail a payment, refund. Development only. */
export function sandboxRoutes(state: SandboxState): Router {
  const { orders } = state
  const found = async (id: string) => {
    const row = (await state.find(id)) ?? (await orders.find(id))
    if (!row) throw new Rejection('not_found', 'The sandbox has no such subscription or order.')
    return row
  }
  const router = new Router({ prefix: '/dev/paypal' })

  router.get('/approve/:id', async (ctx) => {
    const row = await found(ctx.params.id ?? '')
    ctx.set('Cache-Control', 'no-store')
    // Omit form-action, which would also block the redirect back to the site.
    ctx.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
    ctx.type = 'html'
    ctx.body = 'tier' in row ? page(row, agreementTexts(row)) : page(row, orderTexts(row))
  })

  const nothing = async () => {}
  for (const [name, [act, actOnOrder]] of Object.entries({
    approve: [state.approve, orders.approve],
    cancel: [state.decline, orders.decline],
    renew: [state.renew, nothing],
    'fail-payment': [state.failPayment, nothing],
    refund: [state.refunds.refund, state.refunds.refund],
  } as const))
    router.post(`/:id/${name}`, koaBody(), async (ctx) => {
      const row = await found(ctx.params.id ?? '')
      const { id, return_url, cancel_url } = row
      await ('tier' in row ? act : actOnOrder)(id)
      if (!ctx.is('urlencoded')) {
        ctx.body = { success: true }
        return
      }
      const address = new URL(name === 'approve' ? return_url : cancel_url)
      // PayPal names an order as the token.
      if (name === 'approve') address.searchParams.set('tier' in row ? 'subscription_id' : 'token', id)
      ctx.status = 303
      ctx.redirect(address.href)
    })
  return router
}

interface PageTexts {
  readonly title: string
  readonly approve: string
  readonly over: string
  /** Label and value of each fact. */
  readonly facts: readonly (readonly [string, string])[]
}

const dollars = (cents: number) => `US$${(cents / 100).toFixed(2)}`

function agreementTexts({ tier, price_cents, starts_at, language }: SandboxAgreement): PageTexts {
  const t = TEXTS[language]
  const facts = [
    [t.plan, `${tier[0]?.toUpperCase()}${tier.slice(1)}`],
    [t.price, `${dollars(price_cents)} ${t.monthly}`],
    [t.starts, starts_at ? starts_at.toISOString().slice(0, 10) : t.now],
  ] as const
  return { ...t, facts }
}

function orderTexts({ title, amount_cents, language }: SandboxOrder): PageTexts {
  const t = TEXTS[language]
  const facts = [
    [t.item, title],
    [t.price, dollars(amount_cents)],
  ] as const
  return { title: t.order, approve: t.pay, over: t.orderOver, facts }
}

function page(
  { id, status, language }: Pick<SandboxOrder | SandboxAgreement, 'id' | 'status' | 'language'>,
  { title, approve, over, facts }: PageTexts,
): string {
  const t = TEXTS[language]
  const button = (action: string, label: string, style: string) =>
    `<form method="post" action="/dev/paypal/${id}/${action}"><button class="${style}">${label}</button></form>`
  return `<!doctype html>
<html lang="${language === 'zh' ? 'zh-CN' : 'en'}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title} · Kinora</title>
<style>body{margin:0;min-height:100vh;display:grid;place-items:center;background:#0d0b0a;color:#f6f1ec;font:16px/1.6 system-ui,sans-serif}
main{box-sizing:border-box;width:min(440px,calc(100vw - 32px));padding:32px;border-radius:12px;background:#1d1917}h1{margin:0 0 8px;font-size:24px}
p{margin:0 0 24px;color:#b3a9a1}dl{display:grid;grid-template-columns:1fr auto;gap:8px;margin:0 0 24px}dt{color:#b3a9a1}dd{margin:0;font-weight:600}
button{width:100%;min-height:44px;margin:0 0 12px;border:0;border-radius:8px;font:inherit;font-weight:600;cursor:pointer}
button:focus-visible{outline:3px solid #ff7a1a;outline-offset:2px}.primary{background:#ff7a1a;color:#1a0e05}.quiet{background:#272220;color:#f6f1ec}</style></head>
<body><main data-status="${status}"><h1>${title}</h1><p>${t.notice}</p>
<dl>${facts.map(([label, value]) => `<dt>${label}</dt><dd>${value}</dd>`).join('')}</dl>
${status === 'pending' ? button('approve', approve, 'primary') + button('cancel', t.cancel, 'quiet') : `<p>${over}</p>`}
</main></body></html>`
}
