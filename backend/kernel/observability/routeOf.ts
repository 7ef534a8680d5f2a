import type { Context } from 'koa'

/** Returns the pattern of the matched route. The path itself may contain a token, and would be an unbounded metric label. */
export function routeOf(ctx: Context): string {
  const matched = ctx._matchedRoute
  if (typeof matched === 'string') return matched
  return ctx.status < 400 ? 'site' : 'none'
}
