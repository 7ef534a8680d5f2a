/** A section of the documentation, as the index of the search has it. */
export interface Section {
  /** Title of its page. */
  readonly page: string
  readonly heading: string
  /** Address, with the section's anchor. */
  readonly to: string
  readonly text: string
}

export interface Found {
  readonly section: Section
  /** The text around the first word. */
  readonly excerpt: string
}

const MOST = 8
const AROUND = 60
const HAN = /^\p{Script=Han}+$/u

/** Share of the pairs of a Chinese query that a section must have, because some pairs span two words. */
const ENOUGH_PAIRS = 0.6

/** Chinese has no spaces: its words are found by pairs of characters. */
const partsOf = (word: string): string[] =>
  HAN.test(word) && word.length > 2 ? [...word.slice(1)].map((char, i) => word[i] + char) : [word]

/** Returns the sections that contain every word of a query, best first. */
export function searchDocs(sections: readonly Section[], query: string): Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).map(partsOf)
  if (words.length === 0) return []
  const scored = sections.flatMap((section) => {
    const [page = '', heading = '', text = ''] = [section.page, section.heading, section.text].map((each) =>
      each.toLowerCase(),
    )
    const scoreOf = (part: string) =>
      (heading.includes(part) ? 8 : 0) + (page.includes(part) ? 4 : 0) + Math.min(3, text.split(part).length - 1)
    const scores = words.map((parts) => parts.map(scoreOf))
    const hasAll = scores.every((word) => word.filter(Boolean).length >= ENOUGH_PAIRS * word.length)
    return hasAll ? [{ section, score: scores.flat().reduce((sum, each) => sum + each, 0) }] : []
  })
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST)
    .map(({ section }) => ({ section, excerpt: excerptOf(section.text, words.flat()) }))
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase()
  const at = Math.max(
    0,
    Math.min(...words.map((word) => lower.indexOf(word)).filter((place) => place >= 0), text.length),
  )
  const from = at === text.length ? 0 : Math.max(0, at - AROUND)
  const part = text.slice(from, from + 2 * AROUND + 20)
  return `${from > 0 ? '… ' : ''}${part}${from + part.length < text.length ? ' …' : ''}`
}
