import * as z from 'zod/mini'
import { endpoint } from '../kernel/http/contract.ts'

const EVENT_TYPES = ['page_view', 'page_unload'] as const

const text = (max: number) => z.optional(z.nullable(z.string().check(z.maxLength(max, 'too_long'))))

export const PageView = z.object({
  /** Path of the page. The query and fragment are removed before it is stored. */
  path: z.string({ error: 'required' }).check(z.startsWith('/', 'invalid_path'), z.maxLength(2048, 'too_long')),
  referrer: text(4096),
  user_agent: text(1024),
  /** ISO 8601 time from the browser's clock. Ignored: visits are stored with the server's time. */
  timestamp: text(64),
  /** Ignored: the session cookie identifies the user. */
  user_id: text(64),
  /** Random id of the browser tab. */
  session_id: text(64),
  event_type: z._default(z.enum(EVENT_TYPES, 'invalid_event_type'), 'page_view'),
  /** HTTP status code of the page. */
  status_code: z._default(z.number().check(z.int(), z.gte(100, 'invalid_status'), z.lte(599, 'invalid_status')), 200),
})
export type PageView = z.infer<typeof PageView>

const SKIPPED = /^(\/zh)?\/(admin\/|api\/|v\/|docs(\/|$)|health|favicon|robots|sitemap)/i

/** Returns whether visits to a path are counted. */
export const isCounted = (path: string): boolean => !SKIPPED.test(path)

export const pageView = endpoint('POST /analytics/page-view', {
  access: 'public',
  body: PageView,
  plainText: true,
  answer: z.object({ success: z.boolean(), message: z.string() }),
  status: 202,
  summary: 'Records a page view; beacons may send the JSON as text/plain',
})
