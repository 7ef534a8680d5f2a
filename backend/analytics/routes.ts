import type { RouterContext } from '@koa/router'
import type { Serve } from '../kernel/http/endpoint.ts'
import { isBot } from './bots.ts'
import * as contract from './contract.ts'
import type { PageViews } from './pageViews.ts'
import { plainAddress } from './plainAddress.ts'
import type { Visitors } from './visitors.ts'

export interface AnalyticsRoutes {
  readonly pageViews: PageViews
  readonly visitors: Visitors
  /** The id of the user whose session a request carries. */
  readonly visitor: (ctx: RouterContext) => Promise<string | undefined>
  /** The operator's day of an instant. */
  readonly dayOf: (at: number) => string
  readonly now: () => number
}

/** So much of a path is kept: it is a key of the counts, and Postgres takes some 2,700 bytes there. */
const PATH_MAX = 600

/** Without query and anchor, which may hold a token or somebody's name. */
const bare = (address: string | null | undefined) => address?.replace(/[?#].*$/s, '') || null
/** Without what Postgres cannot keep in a text: NUL, and halves of characters. */
const clean = (text: string | null | undefined) => text?.replaceAll('\0', '').toWellFormed() || null

export function serveAnalytics(serve: Serve, { pageViews, visitors, visitor, dayOf, now }: AnalyticsRoutes): void {
  serve(contract.pageView, async ({ body, ctx }) => {
    const path = clean(bare(body.path)?.slice(0, PATH_MAX)) ?? '/'
    if (!contract.isCounted(path)) return { success: true, message: 'Not counted.' }
    const ip = plainAddress(ctx.ip)
    const userAgent = clean(body.user_agent ?? ctx.get('User-Agent').slice(0, 1024))
    const sessionId = clean(body.session_id)
    const signedIn = await visitor(ctx)
    const at = now()
    await pageViews.record({
      at: new Date(at).toISOString(),
      event_type: body.event_type,
      path,
      status_code: body.status_code,
      bot: isBot(userAgent),
      visitor: await visitors.idOf({ sessionId, ip: ip ?? '', userAgent: userAgent ?? '', day: dayOf(at) }),
      session_id: sessionId,
      user_id: signedIn ?? null,
      referrer: clean(bare(body.referrer)),
      user_agent: userAgent,
      ip,
    })
    return { success: true, message: 'Counted.' }
  })
}
