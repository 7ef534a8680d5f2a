import type { RouterContext } from '@koa/router'
import type { Serve } from '../http/endpoint.ts'
import * as contract from './contract.ts'
import type { PageViews } from './pageViews.ts'
import { truncatedAddress } from './truncatedAddress.ts'

export interface AnalyticsRoutes {
  readonly pageViews: PageViews
  /** The id of the user whose session a request carries. */
  readonly visitor: (ctx: RouterContext) => Promise<string | undefined>
  readonly now: () => number
}

/** Without query and anchor, which may hold a token or somebody's name. */
const bare = (address: string | null | undefined) => address?.replace(/[?#].*$/s, '') || null
/** Without what Postgres cannot keep in a text: NUL, and halves of characters. */
const clean = (text: string | null | undefined) => text?.replaceAll('\0', '').toWellFormed() || null

export function serveAnalytics(serve: Serve, { pageViews, visitor, now }: AnalyticsRoutes): void {
  serve(contract.pageView, async ({ body, ctx }) => {
    const path = clean(bare(body.path)) ?? '/'
    if (!contract.isCounted(path)) return { success: true, message: 'Not counted.' }
    pageViews.record({
      at: new Date(now()).toISOString(),
      event_type: body.event_type,
      path,
      status_code: body.status_code,
      referrer: clean(bare(body.referrer)),
      user_agent: clean(body.user_agent ?? ctx.get('User-Agent').slice(0, 1024)),
      session_id: clean(body.session_id),
      user_id: (await visitor(ctx)) ?? null,
      ip: truncatedAddress(ctx.ip),
    })
    return { success: true, message: 'Counted.' }
  })
}
