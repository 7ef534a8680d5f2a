// Loads the page's scripts after the first paint, so that they do not delay it.
;((doc, root) => {
  const late = [...doc.querySelectorAll('script[data-late]')]
  const load = ({ dataset }) => import(dataset.late).catch(() => {})
  const begin = () => {
    root.dataset.shown = ''
    Promise.all(late.map(load)).then(() => {
      root.dataset.awake = ''
      dispatchEvent(new Event('awake'))
    })
  }
  // The second animation frame runs after the first paint. Hidden pages get no animation frames.
  const shown = () => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(begin)))
  if (doc.hidden) begin()
  else if (doc.readyState === 'complete') shown()
  else addEventListener('load', shown, { once: true })
})(document, document.documentElement)
