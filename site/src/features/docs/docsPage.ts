/** Search field of the documentation. Its index and its rules load when the field is used. */
import { translate } from '../../i18n/client.ts'
import { typedKey } from '../../ui/keys/typedKey.ts'
import { part } from '../../ui/part.ts'
import type { Section } from './searchDocs.ts'

const field = part<HTMLInputElement>('#docs-search')
const list = part('#docs-found')
const said = part('#docs-said')
const { index = '' } = field.dataset

const load = async () => {
  const [{ searchDocs }, answer] = await Promise.all([import('./searchDocs.ts'), fetch(index)])
  if (!answer.ok) throw new Error(`${index}: status ${answer.status}`)
  const sections = (await answer.json()) as Section[]
  return (query: string) => searchDocs(sections, query)
}
let loading: ReturnType<typeof load> | undefined

function show(found: ReturnType<Awaited<ReturnType<typeof load>>>): void {
  list.replaceChildren(
    ...found.map(({ section: { page, heading, to }, excerpt }) => {
      const link = Object.assign(document.createElement('a'), { href: to, className: 'docs-hit stack gap-1' })
      const title = document.createElement('strong')
      title.textContent = heading === page ? page : `${page} · ${heading}`
      const text = document.createElement('span')
      text.textContent = excerpt
      link.append(title, text)
      const item = document.createElement('li')
      item.append(link)
      return item
    }),
  )
}

async function search(): Promise<void> {
  const query = field.value
  try {
    loading ??= load()
    const find = await loading
    // The field may have changed while the index loaded.
    if (query !== field.value) return
    const found = find(query)
    show(found)
    said.textContent = query.trim()
      ? found.length > 0
        ? translate()('docs.found', { count: found.length })
        : translate()('docs.none')
      : ''
  } catch (error) {
    console.warn('search not loaded', error)
    loading = undefined
    said.textContent = translate()('docs.failed')
  }
}

field.addEventListener('focus', () => {
  loading ??= load()
  loading.catch(() => (loading = undefined))
})
field.addEventListener('input', () => void search())
// Words may have been typed before this script had loaded.
if (field.value) void search()
field.addEventListener('keydown', (event) => {
  const key = typedKey(event)
  if (key === 'Enter') list.querySelector('a')?.click()
  if (key !== 'Escape') return
  field.value = ''
  void search()
})
