import type { RouterContext } from '@koa/router'
import type { Serve } from '../kernel/http/endpoint.ts'
import type { Calendar } from '../kernel/time.ts'
import { isBot } from './bots.ts'
import * as contract from './contract.ts'
import { normalizeAddress } from './ipAddress.ts'
import type { PageViews } from './pageViews.ts'
import type { Visitors } from './visitors.ts'

export interface AnalyticsRoutes {
  readonly pageViews: PageViews
  readonly visitors: Visitors
  /** Returns the id of the signed-in user. */
  readonly authenticate: (ctx: RouterContext) => Promise<string | undefined>
  readonly calendar: Calendar
}

/** Maximum length of a stored path, in characters. Postgres limits index entries to about 2,700 bytes. */
const PATH_MAX = 600

/** Removes the query and fragment, which may contain tokens or names. */
const withoutQuery = (address: string | null | undefined) => address?.replace(/[?#].*$/s, '') || null
/** Keeps only the site of a shared video's address, which is its secret. */
const withoutSecret = (address: string | null) =>
  address?.replace(/^(https?:\/\/[^/]+)(\/zh)?\/v\/.*$/is, '$1/') ?? null
/** Removes NUL and replaces unpaired surrogates, which Postgres cannot store as `text`. */
const storable = (text: string | null | undefined) => text?.replaceAll('\0', '').toWellFormed() || null

export function serveAnalytics(serve: Serve, { pageViews, visitors, authenticate, calendar }: AnalyticsRoutes): void {
  serve(contract.pageView, async ({ body, ctx }) => {
    const path = storable(withoutQuery(body.path)?.slice(0, PATH_MAX)) ?? '/'
    if (!contract.isCounted(path)) return { success: true, message: 'Not counted.' }
    const ip = normalizeAddress(ctx.ip)
    const userAgent = storable(body.user_agent ?? ctx.get('User-Agent').slice(0, 1024))
    const sessionId = storable(body.session_id)
    const userId = await authenticate(ctx)
    const at = calendar()
    await pageViews.record({
      at: new Date(at).toISOString(),
      event_type: body.event_type,
      path,
      status_code: body.status_code,
      bot: isBot(userAgent),
      visitor: await visitors.visitorId({ sessionId, ip: ip ?? '', userAgent: userAgent ?? '', at }),
      session_id: sessionId,
      user_id: userId ?? null,
      referrer: storable(withoutSecret(withoutQuery(body.referrer))),
      user_agent: userAgent,
      ip,
    })
    return { success: true, message: 'Counted.' }
  })
}
