/** Counts visits: one record when a page is shown, one when it is left. Nothing is kept beyond the tab, and no cookie set. */
const ADDRESS = '/api/v1/analytics/page-view'
const KEY = 'kinora.visit'

/** The same as in the contract, which would bring its schemas along; the server looks again. */
const SKIPPED = /^(\/zh)?\/(admin\/|api\/|docs|health|favicon|robots|sitemap)/

/** A random number for the life of the tab; it means nothing elsewhere. */
function visit(): string {
  const made = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
  try {
    const kept = sessionStorage.getItem(KEY) ?? made
    sessionStorage.setItem(KEY, kept)
    return kept
  } catch {
    return made
  }
}

const record = (eventType: 'page_view' | 'page_unload') =>
  JSON.stringify({
    path: location.pathname,
    referrer: document.referrer,
    user_agent: navigator.userAgent,
    timestamp: new Date().toISOString(),
    session_id: visit(),
    event_type: eventType,
    status_code: status(),
  })

/** What the page was answered with, where the browser tells. */
function status(): number {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return page?.responseStatus || 200
}

// A string goes as text/plain, which needs no question beforehand.
const send = (eventType: 'page_view' | 'page_unload') => navigator.sendBeacon?.(ADDRESS, record(eventType))

export function countVisits(): void {
  if (SKIPPED.test(location.pathname)) return
  send('page_view')
  addEventListener('pagehide', () => send('page_unload'))
  // A page that comes back from the browser's memory is looked at again.
  addEventListener('pageshow', (event) => event.persisted && send('page_view'))
}
