import type { Middleware } from 'koa'
import { pagePath } from '../../kernel/http/site/pagePath.ts'
import type { Cookies } from './cookies.ts'

const MEMBERS_ONLY = /^(\/zh)?\/(workspace|library|film|oauth\/authorize|profile(\/[^/]+)?)$/

/** Redirects requests for members-only pages to the sign-in page if they carry no session cookies. */
export const pageGuard =
  (cookies: Cookies): Middleware =>
  async (ctx, next) => {
    const match = MEMBERS_ONLY.exec(pagePath(ctx.path))
    const { access, refresh } = cookies.session(ctx)
    if (!match || access || refresh) return next()
    ctx.set('Cache-Control', 'no-store')
    ctx.redirect(`${match[1] ?? ''}/auth/login?next=${encodeURIComponent(ctx.url)}`)
  }
