import type { Middleware } from 'koa'
import type { Cookies } from './cookies.ts'

const MEMBERS_ONLY = /^(\/zh)?\/(workspace|profile(\/invoice)?)\/?$/

/** Sends who is surely signed out to the sign-in page, before a page is shown that could only say so. */
export const pageGuard =
  (cookies: Cookies): Middleware =>
  async (ctx, next) => {
    const [, locale = ''] = MEMBERS_ONLY.exec(ctx.path) ?? [undefined]
    const { access, refresh } = cookies.session(ctx)
    if (!MEMBERS_ONLY.test(ctx.path) || access || refresh) return next()
    ctx.set('Cache-Control', 'no-store')
    ctx.redirect(`${locale}/auth/login?next=${encodeURIComponent(ctx.url)}`)
  }
