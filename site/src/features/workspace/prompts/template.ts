import { atom } from 'nanostores'
import { partsOf, type Template, type TemplatePart, textOf } from '#backend/tasks/contract.ts'
import { once } from '../../../api/once.ts'
import { pageLocale } from '../../../i18n/client.ts'
import { movementNames, movementSeparator, writePrompt } from '../../../i18n/movements.ts'
import { $templates, loadTemplates } from '../../../ui/templates/templates.ts'
import { $generation, readForm, setMode, setPrompt } from '../generation.ts'
import { $stage } from '../workspace.ts'

/** The template that filled the prompt, with the words in its slots; null once the prompt says something else. */
export const $template = atom<readonly TemplatePart[] | null>(null)

$generation.listen((form) => {
  const parts = $template.get()
  if (parts && readForm(form).text !== textOf(parts)) $template.set(null)
})

/** Fills prompt and camera from a template, and shows its slots. */
export function takeTemplate({ prompt, camera_movements: movements }: Template): void {
  const parts = partsOf(prompt[pageLocale()])
  setMode('text_to_video')
  $template.set(null)
  setPrompt(writePrompt(textOf(parts), movements, movementNames(), movementSeparator()))
  if (readForm($generation.get()).text === textOf(parts)) $template.set(parts)
  document.getElementById('prompt')?.focus()
}

/** Takes the template that the address names, once. */
export const takeNamedTemplate = once(async () => {
  const id = new URLSearchParams(location.search).get('template')
  if (!id || $stage.get() !== 'open') return
  history.replaceState(history.state, '', location.pathname)
  await loadTemplates()
  const templates = $templates.get()
  const named = templates !== 'failed' && templates?.find((template) => template.id === id)
  if (named) takeTemplate(named)
})

/** Puts other words into a slot. */
export function fillSlot(at: number, text: string): void {
  const parts = $template.get()?.map((part, i) => (i === at ? { ...part, text } : part))
  if (!parts) return
  const { movements } = readForm($generation.get())
  $template.set(parts)
  setPrompt(writePrompt(textOf(parts), movements, movementNames(), movementSeparator()))
}
