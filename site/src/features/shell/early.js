;((doc) => {
  let again
  const listening = new AbortController()
  const remember = (type, selector) =>
    addEventListener(
      type,
      (event) => {
        const found = event.target.closest(selector)
        if (!found || event.ctrlKey || event.metaKey || event.shiftKey) return
        again = found
        if (found.matches('a, form')) event.preventDefault()
      },
      { capture: true, signal: listening.signal },
    )
  const repeat = () => {
    listening.abort()
    if (again) again.matches('form') ? again.requestSubmit() : again.click()
    again = null
  }
  remember(
    'click',
    'button[type="button"]:not([popovertarget], astro-island *), a:is([data-language], [data-plan], [data-pack], [data-remix])',
  )
  remember('submit', 'form:not(astro-island *)')
  addEventListener('DOMContentLoaded', () => doc.querySelector('script[data-late]') || repeat())
  addEventListener('awake', repeat)
})(document)
