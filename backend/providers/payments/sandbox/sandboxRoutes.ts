import Router from '@koa/router'
import { koaBody } from 'koa-body'
import { Rejection } from '#backend/kernel/eventsourcing/pure/decider.ts'
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
  },
} as const

/** Serves the sandbox's approval page and the actions of PayPal: renew, fail a payment, refund. Development only. */
export function sandboxRoutes(state: SandboxState): Router {
  const found = async (id: string) => {
    const row = await state.find(id)
    if (!row) throw new Rejection('not_found', 'The sandbox has no such subscription.')
    return row
  }
  const router = new Router({ prefix: '/dev/paypal' })

  router.get('/approve/:id', async (ctx) => {
    const row = await found(ctx.params.id ?? '')
    ctx.set('Cache-Control', 'no-store')
    // Omit form-action, which would also block the redirect back to the site.
    ctx.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
    ctx.type = 'html'
    ctx.body = page(row)
  })

  for (const [name, act] of Object.entries({
    approve: state.approve,
    cancel: state.decline,
    renew: state.renew,
    'fail-payment': state.failPayment,
    refund: state.refund,
  }))
    router.post(`/:id/${name}`, koaBody(), async (ctx) => {
      const { id, return_url, cancel_url } = await found(ctx.params.id ?? '')
      await act(id)
      if (!ctx.is('urlencoded')) {
        ctx.body = { success: true }
        return
      }
      const address = new URL(name === 'approve' ? return_url : cancel_url)
      if (name === 'approve') address.searchParams.set('subscription_id', id)
      ctx.status = 303
      ctx.redirect(address.href)
    })
  return router
}

function page({ id, tier, price_cents, starts_at, status, language }: SandboxAgreement): string {
  const t = TEXTS[language]
  const button = (action: string, label: string, style: string) =>
    `<form method="post" action="/dev/paypal/${id}/${action}"><button class="${style}">${label}</button></form>`
  const starts = starts_at ? starts_at.toISOString().slice(0, 10) : t.now
  return `<!doctype html>
<html lang="${language === 'zh' ? 'zh-CN' : 'en'}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${t.title} · Kinora</title>
<style>body{margin:0;min-height:100vh;display:grid;place-items:center;background:#0d0b0a;color:#f6f1ec;font:16px/1.6 system-ui,sans-serif}
main{box-sizing:border-box;width:min(440px,calc(100vw - 32px));padding:32px;border-radius:12px;background:#1d1917}h1{margin:0 0 8px;font-size:24px}
p{margin:0 0 24px;color:#b3a9a1}dl{display:grid;grid-template-columns:1fr auto;gap:8px;margin:0 0 24px}dt{color:#b3a9a1}dd{margin:0;font-weight:600}
button{width:100%;min-height:44px;margin:0 0 12px;border:0;border-radius:8px;font:inherit;font-weight:600;cursor:pointer}
button:focus-visible{outline:3px solid #ff7a1a;outline-offset:2px}.primary{background:#ff7a1a;color:#1a0e05}.quiet{background:#272220;color:#f6f1ec}</style></head>
<body><main data-status="${status}"><h1>${t.title}</h1><p>${t.notice}</p>
<dl><dt>${t.plan}</dt><dd>${tier[0]!.toUpperCase()}${tier.slice(1)}</dd><dt>${t.price}</dt><dd>US$${(price_cents / 100).toFixed(2)} ${t.monthly}</dd><dt>${t.starts}</dt><dd>${starts}</dd></dl>
${status === 'pending' ? button('approve', t.approve, 'primary') + button('cancel', t.cancel, 'quiet') : `<p>${t.over}</p>`}
</main></body></html>`
}
