// Runs right after the header and fills in the cached user before the first paint. Sets `data-hint` if there is one.
;((doc) => {
  let hint = null
  try {
    hint = JSON.parse(localStorage.getItem('kinora.user') || 'null')
  } catch {
    return
  }
  if (!hint) return
  doc.documentElement.dataset.hint = hint.hasFilms ? 'films' : ''
  const put = (name, text) => {
    for (const node of doc.querySelectorAll(`[data-user="${name}"]`)) node.textContent = text
  }
  put('name', hint.name)
  put('initial', [...(hint.name || '?')][0].toUpperCase())
  put('email', hint.email.length > 15 ? `${[...hint.email].slice(0, 15).join('')}…` : hint.email)
  if (hint.credits !== null) put('credits', hint.credits.toLocaleString(doc.documentElement.lang))
})(document)
