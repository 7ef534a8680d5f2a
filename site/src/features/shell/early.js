;((doc) => {
  let button
  const remember = ({ target }) => {
    button = target.closest('button[type="button"]:not([popovertarget], astro-island *)')
  }
  const repeat = () => {
    removeEventListener('click', remember, true)
    button?.click()
    button = null
  }
  addEventListener('click', remember, true)
  addEventListener('DOMContentLoaded', () => doc.querySelector('script[data-late]') || repeat())
  addEventListener('awake', repeat)
})(document)
