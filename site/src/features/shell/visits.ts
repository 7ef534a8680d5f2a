/** Counts visits: one record when a page is shown and one when it is left. It sets no cookie and stores nothing beyond the tab. */
const ADDRESS = '/api/v1/analytics/page-view'
const KEY = 'kinora.visit'

/** Copied from the contract, whose schemas would add to every page's script. The server checks again. */
const SKIPPED = /^(\/zh)?\/(admin\/|api\/|docs|health|favicon|robots|sitemap)/

/** Returns a random id that lives as long as the tab. */
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

/** Returns the page's HTTP status, if the browser reports it. */
function status(): number {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return page?.responseStatus || 200
}

// A string is sent as text/plain, which needs no CORS preflight.
const send = (eventType: 'page_view' | 'page_unload') => navigator.sendBeacon?.(ADDRESS, record(eventType))

export function countVisits(): void {
  if (SKIPPED.test(location.pathname)) return
  send('page_view')
  addEventListener('pagehide', () => send('page_unload'))
  // A page restored from the back-forward cache counts as a new view.
  addEventListener('pageshow', (event) => event.persisted && send('page_view'))
}
