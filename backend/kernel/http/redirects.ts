import type { Middleware } from 'koa'
import { pagePath } from './site/pagePath.ts'

interface Redirect {
  readonly to: string
  /** 301: alias of a page. 302: return from a payment provider. */
  readonly status: 301 | 302
}

const PLANS = '/#pricing-section'
const SUBSCRIPTION = '/profile#subscription'

/** Redirects by English path. Each also applies under `/zh`. */
const REDIRECTS: Readonly<Record<string, Redirect>> = {
  '/pricing': { to: PLANS, status: 301 },
  '/subscription': { to: SUBSCRIPTION, status: 301 },
  '/profile/subscription': { to: SUBSCRIPTION, status: 301 },
  '/payment/cancel': { to: PLANS, status: 302 },
  '/subscription/cancel': { to: PLANS, status: 302 },
}

/** Redirects page aliases and payment return URLs to their page. */
export const redirects: Middleware = async (ctx, next) => {
  const chinese = ctx.path.startsWith('/zh/') ? '/zh' : ''
  const path = pagePath(ctx.path.slice(chinese.length))
  const redirect = Object.hasOwn(REDIRECTS, path) ? REDIRECTS[path] : undefined
  if (!redirect || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next()
  const [to = '', anchor = ''] = redirect.to.split('#')
  // Drop the payment provider's query parameters, but keep those of links, such as campaign names.
  const query = redirect.status === 301 ? ctx.search : ''
  // Browsers cache a 301 indefinitely by default; a limit of one hour allows corrections.
  ctx.set('Cache-Control', redirect.status === 301 ? 'public, max-age=3600' : 'no-store')
  ctx.redirect(`${chinese}${to}${query}#${anchor}`)
  ctx.status = redirect.status
}
