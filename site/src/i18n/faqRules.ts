import type { Locale } from './core.ts'

export interface Reading {
  /** Word count; in Chinese, character count. */
  readonly words: number
  readonly minutes: number
}

/** Silent reading speed in words per minute, or in characters per minute for Chinese. */
const PER_MINUTE: Readonly<Record<Locale, number>> = { en: 230, zh: 400 }

/** Returns the plain text of rendered HTML. */
export const textOf = (html: string): string =>
  html
    .replace(/<[^<>]+>/g, ' ')
    .replace(/&(amp|lt|gt|quot|#39|#x27);/g, (whole) => ENTITIES[whole] ?? whole)
    .replace(/\s+/g, ' ')
    .trim()

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#x27;': "'",
}

const units: Readonly<Record<Locale, (text: string) => readonly string[]>> = {
  en: (text) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)),
  zh: (text) => text.match(/\p{Script=Han}|[a-z0-9]+(?:[-.,][a-z0-9]+)*/giu) ?? [],
}

/** Counts words and estimates reading time. In Chinese, each character, Latin word or number counts as one word. */
export function readingOf(text: string, locale: Locale): Reading {
  const words = units[locale](text).length
  return { words, minutes: Math.max(1, Math.round(words / PER_MINUTE[locale])) }
}

interface Related {
  readonly slug: string
  readonly category: string
  readonly tags: readonly string[]
  readonly priority: number
}

const SHOWN = 3

/** Returns up to three other questions, ranked by shared tags and category, then by priority. */
export function relatedTo<E extends Related>(entry: E, all: readonly E[]): readonly E[] {
  const nearness = (other: E) =>
    other.tags.filter((tag) => entry.tags.includes(tag)).length + (other.category === entry.category ? 1 : 0)
  return all
    .filter(({ slug }) => slug !== entry.slug)
    .toSorted((a, b) => nearness(b) - nearness(a) || a.priority - b.priority)
    .slice(0, SHOWN)
}
