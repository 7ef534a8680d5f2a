import { pageLocale, translate } from '../../i18n/client.ts'
import { part } from '../../ui/part.ts'
import { nearPrompts } from '../../ui/reading/nearPrompts.ts'
import { linesOf, type Reading } from '../../ui/reading/reading.ts'
import '../../ui/reading/reading.css'

const WAIT_MS = 450

let box: HTMLTextAreaElement | undefined
let timer: ReturnType<typeof setTimeout> | undefined
let last: { prompt: string; answer: Promise<Reading | undefined> } | undefined
/** Whether an engine draws anything. Then there is nothing to say. */
let isFree = false

/** Asks what would be drawn of a prompt. Undefined if nobody knows. Plain `fetch`: the typed client is 20 times larger. */
async function read(prompt: string): Promise<Reading | undefined> {
  const body = JSON.stringify({ prompt, language: pageLocale() })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch('/api/v1/videos/understand', { method: 'POST', body, headers }).catch(() => undefined)
  return response?.ok ? response.json() : undefined
}

async function show(): Promise<Reading | undefined> {
  clearTimeout(timer)
  const prompt = box?.value.trim() ?? ''
  if (last?.prompt !== prompt) last = { prompt, answer: prompt && !isFree ? read(prompt) : Promise.resolve(undefined) }
  const asked = last
  const answer = await asked.answer
  if (asked !== last) return undefined
  isFree ||= answer?.enough === true && answer.words.length === 0
  paint(answer)
  return answer
}

const element = <K extends keyof HTMLElementTagNameMap>(name: K, className: string, text = '') =>
  Object.assign(document.createElement(name), { className, textContent: text })

function paint(answer: Reading | undefined): void {
  const t = translate()
  const place = part('[data-reading]')
  const note = place.firstElementChild ?? element('div', 'reading')
  note.ariaLive = 'polite'
  if (!note.isConnected) place.append(note)
  note.replaceChildren(
    ...(answer ? linesOf(answer, t) : []).map(({ as, text }) => element('p', `small reading-${as}`, text)),
    ...(answer?.enough === false ? [element('p', 'small reading-little', t('reading.little'))] : []),
  )
  place.querySelector('ul')?.remove()
  if (answer?.enough !== false) return
  const list = element('ul', 'reading-near')
  list.ariaLabel = t('reading.near')
  for (const { prompt, poster } of nearPrompts(answer, pageLocale())) {
    const button = Object.assign(element('button', 'reading-prompt small'), { type: 'button' as const })
    button.dataset.prompt = prompt
    button.append(Object.assign(element('img', ''), { src: poster, alt: '' }), element('span', '', prompt))
    const item = document.createElement('li')
    item.append(button)
    list.append(item)
  }
  place.append(list)
}

/** Shows what the demo would draw of the prompt in a box. */
export function readingOf(prompt: HTMLTextAreaElement) {
  box = prompt
  return {
    /** Asks once typing pauses. */
    ask: () => {
      clearTimeout(timer)
      timer = setTimeout(show, WAIT_MS)
    },
    /** Asks immediately. An unknown answer is left to the server. */
    isEnough: async () => (await show())?.enough ?? true,
  }
}
