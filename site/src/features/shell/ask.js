// Asks for what the page's scripts need first, while they load: answers of the API, which they take from `asked`, and the font.
;(({ paths, font }, doc) => {
  const ask = (path) => {
    const answer = fetch(path, { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(30_000) })
    answer.catch(() => {})
    return [path, answer]
  }
  globalThis.asked = new Map(paths.split(' ').map(ask))
  if (doc.documentElement.dataset.font === 'system' || innerWidth < 768) return
  const link = { rel: 'preload', as: 'font', type: 'font/woff2', crossOrigin: '', href: font }
  doc.head.append(Object.assign(doc.createElement('link'), link))
})(document.currentScript.dataset, document)
