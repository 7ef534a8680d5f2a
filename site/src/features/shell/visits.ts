import { onRestored } from '../../api/pages/restored.ts'

/** Records page views and page exits. Sets no cookies; stores only a random id in the tab's session storage. */
const ADDRESS = '/api/v1/analytics/page-view'
const KEY = 'kinora.visit'

/** Paths that are not recorded. Not imported from the contract, whose schemas would enlarge every page's script. */
const SKIPPED = /^(\/zh)?\/(admin\/|api\/|v\/|docs(\/|$)|health|favicon|robots|sitemap)/i

/** Returns the tab's random visit id. Without session storage, returns a new id on each call. */
function visitId(): string {
  const created = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
  try {
    const kept = sessionStorage.getItem(KEY) ?? created
    sessionStorage.setItem(KEY, kept)
    return kept
  } catch {
    return created
  }
}

const record = (eventType: 'page_view' | 'page_unload') =>
  JSON.stringify({
    path: location.pathname,
    referrer: document.referrer,
    user_agent: navigator.userAgent,
    timestamp: new Date().toISOString(),
    session_id: visitId(),
    event_type: eventType,
    status_code: status(),
  })

/** Returns the HTTP status of the page, or 200 if the browser does not report it. */
function status(): number {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return page?.responseStatus || 200
}

// `sendBeacon` sends strings as text/plain, which needs no CORS preflight.
const send = (eventType: 'page_view' | 'page_unload') => navigator.sendBeacon?.(ADDRESS, record(eventType))

export function countVisits(): void {
  if (SKIPPED.test(location.pathname)) return
  send('page_view')
  addEventListener('pagehide', () => send('page_unload'))
  // A page restored from the back/forward cache counts as a new view.
  onRestored(() => send('page_view'))
}
