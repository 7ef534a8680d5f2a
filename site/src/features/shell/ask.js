// Asks the API for what the page's scripts will ask first, while they load. They take the answers from `asked`.
;((paths) => {
  const ask = (path) => {
    const answer = fetch(path, { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(30_000) })
    answer.catch(() => {})
    return [path, answer]
  }
  globalThis.asked = new Map(paths.split(' ').map(ask))
})(document.currentScript.dataset.paths)
