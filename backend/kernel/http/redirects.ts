import type { Middleware } from 'koa'

interface Move {
  readonly to: string
  /** 301: another name of a page, for good. 302: the end of a way that was walked, true for this once. */
  readonly status: 301 | 302
}

const PLANS = '/#pricing-section'
const SUBSCRIPTION = '/profile#subscription'

/** English addresses; each has its Chinese counterpart under `/zh`. */
const MOVES: Readonly<Record<string, Move>> = {
  '/pricing': { to: PLANS, status: 301 },
  '/subscription': { to: SUBSCRIPTION, status: 301 },
  '/profile/subscription': { to: SUBSCRIPTION, status: 301 },
  '/payment/cancel': { to: PLANS, status: 302 },
  '/subscription/cancel': { to: PLANS, status: 302 },
}

/** Sends addresses that are no page of their own to the place that they mean. */
export const redirects: Middleware = async (ctx, next) => {
  const [, chinese = '', path = ''] = /^(\/zh)?(\/.+?)\/*$/.exec(ctx.path) ?? []
  const move = Object.hasOwn(MOVES, path) ? MOVES[path] : undefined
  if (!move || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next()
  const [to = '', anchor = ''] = move.to.split('#')
  // What a payment provider adds to the address ends here; what a link carries (a campaign's name) goes along.
  const query = move.status === 301 ? ctx.search : ''
  // Browsers keep a 301 for ever unless they are told for how long: an hour lets a mistake be taken back.
  ctx.set('Cache-Control', move.status === 301 ? 'public, max-age=3600' : 'no-store')
  ctx.redirect(`${chinese}${to}${query}#${anchor}`)
  ctx.status = move.status
}
