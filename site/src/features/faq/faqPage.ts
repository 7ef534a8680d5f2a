/** Search and category filter of the help page. Without JavaScript, the page lists every question. */
import { translate } from '../../i18n/client.ts'
import { part } from '../../ui/part.ts'

const form = part<HTMLFormElement>('#faq-filter')
const items = [...document.querySelectorAll<HTMLElement>('#faq-list > li')].map((item) => ({
  item,
  text: item.textContent.toLowerCase(),
}))
const none = part('#faq-none')
const found = part('#faq-found')

function filter(): void {
  const wanted = new FormData(form)
  const category = wanted.get('category')
  const words = String(wanted.get('words')).toLowerCase().split(/\s+/).filter(Boolean)
  let count = 0
  for (const { item, text } of items) {
    const matches = (!category || item.dataset.category === category) && words.every((word) => text.includes(word))
    item.hidden = !matches
    if (matches) count++
  }
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
