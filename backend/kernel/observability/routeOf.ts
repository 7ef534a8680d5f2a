import type { Context } from 'koa'

/** The pattern of the address that a request went to: an address itself may hold a token, and there are too many of them. */
export function routeOf(ctx: Context): string {
  const matched = ctx._matchedRoute
  if (typeof matched === 'string') return matched
  return ctx.status < 400 ? 'site' : 'none'
}
