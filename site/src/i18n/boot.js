// Runs before anything is painted: goes to the page in the reader's language, and marks what the first paint needs to know.
;((doc, loc, nav) => {
  var root = doc.documentElement
  var read = (key) => {
    try {
      return localStorage.getItem(key)
    } catch {
      return null
    }
  }
  var isChinese = (tag) => /^zh/i.test(tag || '')
  var atChinese = /^\/zh(\/|$)/.test(loc.pathname)
  var stored = read('language')
  var browser = (nav.languages && nav.languages[0]) || nav.language || root.lang
  var wantsChinese = stored ? isChinese(stored) : atChinese || isChinese(browser)
  if (wantsChinese !== atChinese) {
    root.style.visibility = 'hidden'
    var path = wantsChinese
      ? `/zh${loc.pathname === '/' ? '' : loc.pathname}`
      : loc.pathname.replace(/^\/zh(?=\/|$)/, '') || '/'
    loc.replace(path + loc.search + loc.hash)
  }
  root.dataset.session = read('kinora.user') ? 'in' : 'out'
  var slow = /2g/.test((nav.connection && nav.connection.effectiveType) || '')
  var oldAndroid = /Android [1-6]\./.test(nav.userAgent)
  if (slow || nav.deviceMemory <= 2 || nav.hardwareConcurrency <= 2 || oldAndroid) root.dataset.motion = 'calm'
})(document, location, navigator)
