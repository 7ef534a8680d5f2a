// Fetches the page's scripts once it is shown with its first picture: nothing that is read or seen shares the network with them.
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
  const begin = () => {
    root.dataset.shown = ''
    Promise.all(late.map(load)).then(() => (root.dataset.awake = ''))
  }
  // What is loaded is painted in the next frame, and shown by the one after. A page that nobody sees gets no frames.
  const shown = () => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(begin)))
  if (doc.hidden) begin()
  else if (doc.readyState === 'complete') shown()
  else addEventListener('load', shown, { once: true })
})(document, document.documentElement)
