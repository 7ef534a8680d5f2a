// Runs before the first paint. Redirects to the visitor's language, and sets the `data-session` and `data-motion`
// attributes, which style sheets and scripts read.
;((doc, loc, nav) => {
  const root = doc.documentElement
  const read = (key) => {
    try {
      return localStorage.getItem(key)
    } catch {
      return null
    }
  }
  const isChinese = (tag) => /^zh/i.test(tag || '')
  const atChinese = /^\/zh(\/|$)/.test(loc.pathname)
  const stored = read('language')
  const browser = nav.languages?.[0] || nav.language || root.lang
  const wantsChinese = stored ? isChinese(stored) : atChinese || isChinese(browser)
  if (wantsChinese !== atChinese) {
    root.style.visibility = 'hidden'
    const path = wantsChinese
      ? `/zh${loc.pathname === '/' ? '' : loc.pathname}`
      : loc.pathname.replace(/^\/zh(?=\/|$)/, '') || '/'
    loc.replace(path + loc.search + loc.hash)
  }
  root.dataset.session = /(^|; )kinora_signed_in=1/.test(doc.cookie) ? 'in' : 'out'
  const speed = nav.connection?.effectiveType || ''
  // A font would compete with the scripts, and come too late to be shown.
  if (/[23]g/.test(speed)) root.dataset.font = 'system'
  const oldAndroid = /Android [1-6]\./.test(nav.userAgent)
  if (/2g/.test(speed) || nav.deviceMemory <= 2 || nav.hardwareConcurrency <= 2 || oldAndroid)
    root.dataset.motion = 'calm'
})(document, location, navigator)
