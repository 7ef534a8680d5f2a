import type { Middleware } from 'koa'
import { ACCESS_COOKIE, REFRESH_COOKIE } from './cookies.ts'

const MEMBERS_ONLY = /^(\/zh)?\/(workspace|profile)\/?$/

/** Sends who is surely signed out to the sign-in page, before a page is shown that could only say so. */
export const pageGuard: Middleware = async (ctx, next) => {
  const [, locale = ''] = MEMBERS_ONLY.exec(ctx.path) ?? [undefined]
  const guarded = MEMBERS_ONLY.test(ctx.path)
  if (!guarded || ctx.cookies.get(ACCESS_COOKIE) || ctx.cookies.get(REFRESH_COOKIE)) return next()
  ctx.set('Cache-Control', 'no-store')
  ctx.redirect(`${locale}/auth/login?next=${encodeURIComponent(ctx.url)}`)
}
