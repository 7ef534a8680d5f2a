// Records page views and page exits. Sets no cookies; stores only a random id in the tab's session storage. Runs before
// the page's other scripts, because visitors may leave before those load.
;((doc, loc) => {
  if (/^(\/zh)?\/(admin\/|api\/|v\/|docs(\/|$)|health|favicon|robots|sitemap)/i.test(loc.pathname)) return
  // The page leads to another language.
  if (doc.documentElement.style.visibility === 'hidden') return
  let id = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
  try {
    id = sessionStorage.getItem('kinora.visit') ?? id
    sessionStorage.setItem('kinora.visit', id)
  } catch {}
  // `sendBeacon` sends strings as text/plain, which needs no CORS preflight.
  const send = (type) =>
    navigator.sendBeacon?.(
      '/api/v1/analytics/page-view',
      JSON.stringify({
        path: loc.pathname,
        referrer: doc.referrer,
        user_agent: navigator.userAgent,
        timestamp: new Date().toISOString(),
        session_id: id,
        event_type: type,
        // Not every browser reports the status.
        status_code: performance.getEntriesByType('navigation')[0]?.responseStatus || 200,
      }),
    )
  let viewed = false
  const view = () => {
    if (!viewed) send('page_view')
    viewed = true
  }
  // After the page has loaded, so that the request does not compete with it.
  addEventListener('load', view)
  addEventListener('pagehide', () => {
    view()
    send('page_unload')
  })
  // A page restored from the back/forward cache counts as a new view.
  addEventListener('pageshow', ({ persisted }) => persisted && send('page_view'))
})(document, location)
