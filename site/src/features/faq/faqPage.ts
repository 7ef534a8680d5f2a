/** Search and category filter of the help page. Without JavaScript, the page lists every question. */
import { translate } from '../../i18n/client.ts'

const form = document.querySelector<HTMLFormElement>('#faq-filter')!
const items = [...document.querySelectorAll<HTMLElement>('#faq-list > li')]
const none = document.querySelector<HTMLElement>('#faq-none')!
const found = document.querySelector<HTMLElement>('#faq-found')!
const texts = items.map((item) => item.textContent.toLowerCase())

function filter(): void {
  const wanted = new FormData(form)
  const category = wanted.get('category')
  const words = String(wanted.get('words')).toLowerCase().split(/\s+/).filter(Boolean)
  let count = 0
  items.forEach((item, index) => {
    const matches =
      (!category || item.dataset.category === category) && words.every((word) => texts[index]!.includes(word))
    item.hidden = !matches
    if (matches) count++
  })
  none.hidden = count > 0
  found.textContent = translate()('faq.found', { count })
}

/** Expands the question named in the URL fragment. */
function openNamed(): void {
  const named = location.hash ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null
  if (named instanceof HTMLDetailsElement) named.open = true
}

form.addEventListener('input', filter)
form.addEventListener('submit', (event) => event.preventDefault())
// Fields are cleared after the `reset` event. The reset button disappears, so focus moves to the search field.
form.addEventListener('reset', () =>
  setTimeout(() => {
    filter()
    form.querySelector('input')?.focus()
  }),
)
addEventListener('hashchange', openNamed)
openNamed()
// The browser may have restored earlier field values.
filter()
