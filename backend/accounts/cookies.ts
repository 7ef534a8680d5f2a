import type { Context } from 'koa'
import { ACCESS_SECONDS, REFRESH_SECONDS, type SessionTokens } from './sessions.ts'

export const ACCESS_COOKIE = 'kinora_access'
export const REFRESH_COOKIE = 'kinora_refresh'

/** Puts the tokens into httpOnly cookies; without tokens, takes the cookies away. */
export function setSessionCookies(ctx: Context, tokens: SessionTokens | undefined, secure: boolean): void {
  const options = { httpOnly: true, sameSite: 'lax', path: '/', secure, overwrite: true } as const
  ctx.cookies.secure = secure
  ctx.cookies.set(ACCESS_COOKIE, tokens?.access ?? null, { ...options, maxAge: ACCESS_SECONDS * 1000 })
  ctx.cookies.set(REFRESH_COOKIE, tokens?.refresh ?? null, { ...options, maxAge: REFRESH_SECONDS * 1000 })
}

export const sessionCookies = (ctx: Context) => ({
  access: ctx.cookies.get(ACCESS_COOKIE),
  refresh: ctx.cookies.get(REFRESH_COOKIE),
})
