// Fetches the page's scripts once it is painted: nothing that is read waits for them.
;((doc, root) => {
  const late = [...doc.querySelectorAll('script[data-late]')]
  const load = ({ dataset }) =>
    new Promise((resolve) => {
      const script = doc.createElement('script')
      script.type = 'module'
      script.onload = script.onerror = resolve
      script.src = dataset.late
      doc.head.append(script)
    })
  const begin = () => Promise.all(late.map(load)).then(() => (root.dataset.awake = ''))
  // A frame is painted after its callbacks. A page that nobody sees gets no frames.
  if (doc.hidden) begin()
  else requestAnimationFrame(() => setTimeout(begin))
})(document, document.documentElement)
