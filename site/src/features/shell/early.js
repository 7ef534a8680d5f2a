;((doc) => {
  let again
  const remember = (event) => {
    const link = 'a:is([data-language], [data-plan], [data-pack], [data-remix])'
    const found = event.target.closest(
      event.type === 'submit' ? 'form' : `button[type="button"]:not([popovertarget]), ${link}`,
    )
    if (!found || found.closest('astro-island') || event.ctrlKey || event.metaKey || event.shiftKey) return
    again = found
    if (!found.matches('button')) event.preventDefault()
  }
  const repeat = () => {
    removeEventListener('click', remember, true)
    removeEventListener('submit', remember, true)
    again?.requestSubmit ? again.requestSubmit() : again?.click()
    again = null
  }
  addEventListener('click', remember, true)
  addEventListener('submit', remember, true)
  addEventListener('DOMContentLoaded', () => doc.querySelector('script[data-late]') || repeat())
  addEventListener('awake', repeat)
})(document)
