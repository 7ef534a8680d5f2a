import { readFileSync } from 'node:fs'
import { readPrompt } from '../reading/readPrompt.ts'
import { understand } from '../reading/understand.ts'

/** A prompt of someone who did not write the words, with its nouns and verbs as they are in the prompt or in a dictionary. */
export type FreshPrompt = Readonly<{ prompt: string; nouns: readonly string[]; verbs: readonly string[] }>
type FreshPrompts = Readonly<Record<'en' | 'zh', readonly FreshPrompt[]>>

export const FRESH_PROMPTS = new URL('./freshPrompts.json', import.meta.url)
/** 200 prompts, written before the work by someone who did not do it. */
export const STRANGERS_PROMPTS = new URL('./strangersPrompts.json', import.meta.url)
export const readFreshPrompts = (file: string | URL): FreshPrompts => JSON.parse(readFileSync(file, 'utf8'))

type Span = readonly [start: number, end: number]

/** Returns where a word is in a prompt: as it is written, or bent, such as "dunk" in "dunks". */
function spansOf(prompt: string, word: string): Span[] {
  const parts = prompt.split(word)
  if (parts.length > 1) {
    const ends = parts.slice(0, -1).map((_, i) => parts.slice(0, i + 1).join(word).length)
    return ends.map((at) => [at, at + word.length])
  }
  const stem = word.slice(0, Math.max(3, word.length - 3)).replaceAll(/[^\w' -]/g, '')
  const found = stem && /\w/.test(stem) ? new RegExp(`\\b${stem}[\\w'-]*`).exec(prompt) : undefined
  return found ? [[found.index, found.index + found[0].length]] : []
}

/** Returns what is wrong with how a prompt is read: words in no list, halves of words, and subjects that no one asked for. */
export function faultsOf({ prompt, nouns, verbs }: FreshPrompt, language: 'en' | 'zh'): string[] {
  const text = prompt.toLowerCase()
  const { words } = understand(prompt, language)
  const { mentions, subjects } = readPrompt(prompt)
  // Function, camera and style words are a list of their own.
  const isListed = ([start, end]: Span) =>
    mentions.some(({ at, end: to, meanings }) => meanings[0]?.kind === 'filler' && at <= start && to >= end)
  const spans = (list: readonly string[]) =>
    list.flatMap((word) => spansOf(text, word.toLowerCase()).map((span) => ({ word, span })))
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
  const strangers = subjects.filter(({ at, end }) => !asked.some(({ span: [from, to] }) => at < to && from < end))
  return [
    ...spans([...nouns, ...verbs]).flatMap(({ word, span }) =>
      inList(span) || isListed(span) ? [] : [`${word} is in no list`],
    ),
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
