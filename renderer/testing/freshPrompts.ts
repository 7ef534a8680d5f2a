import { readFileSync } from 'node:fs'
import { readPrompt } from '../reading/readPrompt.ts'
import { understand } from '../reading/understand.ts'

/** A prompt of someone who did not write the words, with its nouns and verbs as they are in the prompt or in a dictionary. */
export type FreshPrompt = Readonly<{ prompt: string; nouns: readonly string[]; verbs: readonly string[] }>
type FreshPrompts = Readonly<Record<'en' | 'zh', readonly FreshPrompt[]>>

export const FRESH_PROMPTS = new URL('./freshPrompts.json', import.meta.url)
export const readFreshPrompts = (file: string | URL): FreshPrompts => JSON.parse(readFileSync(file, 'utf8'))

type Span = readonly [start: number, end: number]

/** Returns where a word is in a prompt: as it is written, or bent, such as "dunk" in "dunks". */
function spanOf(prompt: string, word: string): Span | undefined {
  const at = prompt.indexOf(word)
  if (at >= 0) return [at, at + word.length]
  const stem = word.slice(0, Math.max(3, word.length - 3)).replaceAll(/[^\w' -]/g, '')
  const found = stem && /\w/.test(stem) ? new RegExp(`\\b${stem}[\\w'-]*`).exec(prompt) : undefined
  return found ? [found.index, found.index + found[0].length] : undefined
}

/** Returns what is wrong with how a prompt is read: words in no list, halves of words, and subjects that no one asked for. */
export function faultsOf({ prompt, nouns, verbs }: FreshPrompt, language: 'en' | 'zh'): string[] {
  const text = prompt.toLowerCase()
  const { words } = understand(prompt, language)
  const spans = (list: readonly string[]) =>
    list.flatMap((word) => {
      const span = spanOf(text, word.toLowerCase())
      return span ? [{ word, span }] : []
    })
  const inList = ([start, end]: Span) => {
    const characters = Array.from({ length: end - start }, (_, i) => start + i)
    return characters.every(
      (at) => !/[\p{L}\d]/u.test(text[at]!) || words.some((word) => word.start <= at && at < word.end),
    )
  }
  const isHalved = ([start, end]: Span) =>
    words.some(
      ({ as, ...word }) => as === 'missing' && (inside(word.start, start, end) || inside(word.end, start, end)),
    )
  const asked = spans(nouns)
  const strangers = readPrompt(prompt).subjects.filter(
    ({ at, end }) => !asked.some(({ span: [from, to] }) => at < to && from < end),
  )
  return [
    ...spans([...nouns, ...verbs]).flatMap(({ word, span }) => (inList(span) ? [] : [`${word} is in no list`])),
    ...(language === 'zh' ? spans([...nouns, ...verbs]).filter(({ span }) => isHalved(span)) : []).map(
      ({ word }) => `half of ${word} is missing`,
    ),
    ...strangers.map((subject) => `${subject.name} was not asked for`),
  ]
}

const inside = (at: number, start: number, end: number) => at > start && at < end

/** Prints the faults of a file, and how many of its prompts are refused. */
if (import.meta.main) {
  const prompts = readFreshPrompts(process.argv[2] ?? FRESH_PROMPTS)
  for (const language of ['en', 'zh'] as const) {
    const faults = prompts[language].flatMap((fresh) =>
      faultsOf(fresh, language).map((fault) => `${fresh.prompt}: ${fault}`),
    )
    const refused = prompts[language].filter(({ prompt }) => !understand(prompt, language).enough)
    console.log([...faults, `${language}: ${prompts[language].length} prompts, ${refused.length} refused`].join('\n'))
    if (faults.length > 0) process.exitCode = 1
  }
}
