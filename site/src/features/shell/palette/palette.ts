import { translate } from '../../../i18n/client.ts'
import { typedKey } from '../../../ui/keys/typedKey.ts'
import { actionsOf, type Entry, type Group, loadFolders, pagesOf, searchFilms } from './entries.ts'
import './palette.css'

/** How long the search for films waits for the next letter, ms. */
const TYPING_MS = 150

type Parts = Readonly<{ input: HTMLInputElement; list: HTMLElement; said: HTMLElement }>

/** Opens the command palette: films, folders, pages and actions by their names. Closes it if it is open. */
export function openPalette(): void {
  const open = document.querySelector<HTMLDialogElement>('dialog.palette')
  if (open) {
    open.close()
    return
  }
  const t = translate()
  const dialog = Object.assign(document.createElement('dialog'), {
    className: 'palette',
    ariaLabel: t('common.palette.heading'),
  })
  const input = Object.assign(document.createElement('input'), {
    ...{ className: 'input', type: 'text', role: 'combobox', autocomplete: 'off' as const, maxLength: 200 },
  })
  const attributes = { 'aria-controls': 'palette-list', 'aria-autocomplete': 'list', 'aria-expanded': 'true' }
  for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value)
  const list = Object.assign(document.createElement('div'), {
    ...{ className: 'palette-list', id: 'palette-list', role: 'listbox' },
  })
  const said = Object.assign(document.createElement('p'), { className: 'hint palette-said', role: 'status' })
  dialog.append(input, list, said)
  document.body.append(dialog)
  const opener = document.activeElement
  dialog.addEventListener('close', () => {
    dialog.remove()
    if (opener instanceof HTMLElement) opener.focus()
  })
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close())
  dialog.showModal()
  run(dialog, { input, list, said })
}

function run(dialog: HTMLDialogElement, { input, list, said }: Parts): void {
  const t = translate()
  input.placeholder = input.ariaLabel = t('common.palette.placeholder')
  list.ariaLabel = t('common.palette.heading')
  const fixed: Group[] = [actionsOf(), pagesOf()]
  let films: readonly Entry[] = []
  let entries: readonly Entry[] = []
  let at = 0

  const select = (next: number) => {
    at = entries.length === 0 ? 0 : (next + entries.length) % entries.length
    const options = list.querySelectorAll('[role="option"]')
    for (const [n, option] of options.entries()) option.ariaSelected = String(n === at)
    const chosen = options[at]
    chosen?.scrollIntoView({ block: 'nearest' })
    if (chosen) input.setAttribute('aria-activedescendant', chosen.id)
    else input.removeAttribute('aria-activedescendant')
  }
  const choose = (entry: Entry | undefined) => {
    if (!entry) return
    dialog.close()
    entry.run()
  }
  const draw = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    const matches = ({ label }: Entry) => words.every((word) => label.toLowerCase().includes(word))
    const groups = [
      { name: t('common.palette.films'), entries: films },
      ...fixed.map((group) => ({ ...group, entries: group.entries.filter(matches) })),
    ].filter((group) => group.entries.length > 0)
    entries = groups.flatMap((group) => group.entries)
    list.replaceChildren(...groups.map((group) => drawGroup(group, entries, choose)))
    said.textContent = entries.length === 0 ? t('common.palette.none') : ''
    select(0)
  }

  let timer = 0
  let latest = 0
  const search = async () => {
    latest += 1
    const mine = latest
    const found = await searchFilms(input.value.trim())
    if (mine !== latest || !dialog.isConnected) return
    films = found
    draw()
  }
  input.addEventListener('input', () => {
    draw()
    clearTimeout(timer)
    timer = window.setTimeout(search, TYPING_MS)
  })
  input.addEventListener('keydown', (event) => {
    const typed = typedKey(event)
    const to = typed === 'ArrowDown' ? at + 1 : typed === 'ArrowUp' ? at - 1 : undefined
    if (to !== undefined) select(to)
    else if (typed === 'Enter') choose(entries[at])
    else return
    event.preventDefault()
  })
  draw()
  void search()
  void loadFolders().then((group) => {
    fixed.unshift(group)
    if (dialog.isConnected) draw()
  })
}

function drawGroup({ name, entries }: Group, all: readonly Entry[], choose: (entry: Entry) => void): HTMLElement {
  const group = Object.assign(document.createElement('div'), { role: 'group', ariaLabel: name })
  const heading = Object.assign(document.createElement('p'), {
    className: 'palette-group',
    ariaHidden: 'true',
    textContent: name,
  })
  const options = entries.map((entry) => {
    const option = Object.assign(document.createElement('div'), {
      ...{ role: 'option', className: 'palette-option', id: `palette-${all.indexOf(entry)}` },
    })
    if (entry.picture) option.append(Object.assign(document.createElement('img'), { src: entry.picture, alt: '' }))
    option.append(Object.assign(document.createElement('span'), { className: 'ellipsis', textContent: entry.label }))
    option.addEventListener('click', () => choose(entry))
    return option
  })
  group.append(heading, ...options)
  return group
}
