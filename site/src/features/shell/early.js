// Repeats the last click on a button that came before the page's scripts, and would be lost. The browser itself handles
// links, popovers and forms; islands are drawn by their scripts.
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
  // Scripts that are modules have run by then, except those that late.js loads.
  addEventListener('DOMContentLoaded', () => doc.querySelector('script[data-late]') || repeat())
  addEventListener('awake', repeat)
})(document)
