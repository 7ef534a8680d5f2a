import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const KINDS = {
  ...{ subjects: 'subject', hints: 'hint', places: 'place', times: 'time', weather: 'weather', seasons: 'season' },
  ...{ colours: 'colour', verbs: 'verb', counts: 'count', sizes: 'size', held: 'held', styles: 'style' },
  ...{ fillers: 'filler', clothes: 'clothes', negators: 'negator', icons: 'icon', undrawn: 'undrawn' },
  ...{ qualities: 'quality', linked: 'linked', idle: 'idle', relations: 'relation' },
} as const
export type Kind = (typeof KINDS)[keyof typeof KINDS]

/**
 * One meaning of a word: `wolf` is the subject wolf, `yellow` the colour #f2c022. An `exact` word names what is drawn: a
 * coyote is only drawn as a wolf.
 */
export type Meaning = Readonly<{ kind: Kind; value: string; exact: boolean }>

/** A colour icon: the body of its SVG, the length of its sides, its usual place, and whether it looks to the left. */
export type Icon = Readonly<{
  body: string
  size: number
  home: string
  flips: boolean
  names: readonly [string, string]
}>

export type Lexicon = Readonly<{
  /** Meanings by lower-case English phrase or Chinese word. A word may have several, such as 灯笼, or none, such as 台面. */
  words: ReadonlyMap<string, readonly Meaning[]>
  icons: Readonly<Record<string, Icon>>
  /** Usual place of a subject or icon, where it is drawn if the prompt names no place. */
  homeOf: (name: string) => string | undefined
  /** Icon of a subject that is not named like it. */
  iconOf: (name: string) => string | undefined
  /** Returns the name of a meaning in a language, or undefined for a word of the prompt's own. */
  nameOf: (meaning: Pick<Meaning, 'kind' | 'value'>, language: 'en' | 'zh') => string | undefined
}>

type Entry = { en: string; zh: string; home?: string; icon?: string }
type Groups = Record<keyof typeof KINDS, Record<string, Entry>>

let loaded: Lexicon | undefined

/** Returns the words that the demo knows. Icons name everything that has no puppet of its own. */
export function lexicon(): Lexicon {
  loaded ??= load()
  return loaded
}

function load(): Lexicon {
  const read = (file: string) => readFileSync(new URL(file, import.meta.url))
  const groups: Groups = JSON.parse(read('./lexicon.json').toString())
  const art: { icons: Record<string, Icon>; names: Record<string, string> } = JSON.parse(
    gunzipSync(read('./icons.json.gz')).toString(),
  )
  const words = new Map<string, Meaning[]>()
  const names = new Map<string, Entry>()
  for (const [group, entries] of Object.entries(groups) as [keyof Groups, Record<string, Entry>][]) {
    for (const [value, entry] of Object.entries(entries)) {
      const kind = KINDS[group]
      names.set(`${kind}/${value}`, entry)
      for (const list of [entry.en, entry.zh]) {
        // A semicolon separates the names of an action from the words that are only drawn as it.
        const [own = '', ...others] = list.split(';').map((part) => part.split(',').filter(Boolean))
        for (const word of [...own, ...others.flat()]) {
          const exact = kind === 'verb' ? own.includes(word) : isNamed(word, own[0] ?? '', kind)
          words.set(word, [...(words.get(word) ?? []), { kind, value, exact }])
        }
      }
    }
  }
  for (const [word, value] of Object.entries(art.names)) {
    const known = words.get(word) ?? []
    // A held thing is also a thing of its own. 一杯奶 is a count, a measure word and a noun.
    if (known.every(({ kind }) => kind === 'held') && !/^一[杯碗块片]/.test(word))
      words.set(word, [...known, { kind: 'icon', value, exact: true }])
  }
  for (const word of read('./words.zh.txt').toString().split(/\s+/)) if (!words.has(word)) words.set(word, [])
  const first = (list: string | undefined) => list?.split(/[,;]/)[0]
  return {
    words,
    icons: art.icons,
    homeOf: (name) => groups.subjects[name]?.home ?? art.icons[name]?.home,
    iconOf: (name) => groups.subjects[name]?.icon,
    nameOf: ({ kind, value }, language) =>
      kind === 'icon'
        ? (language === 'zh' && first(groups.icons[value]?.zh)) || art.icons[value]?.names[language === 'en' ? 0 : 1]
        : first(names.get(`${kind}/${value}`)?.[language]),
  }
}

/** Returns whether a word names a meaning: 小狐狸 a 狐狸 and "rainy" the rain, but "lion statue" no lion. */
const isNamed = (word: string, name: string, kind: Kind) =>
  word === name || (WHOLE.has(kind) ? word.endsWith(/[a-z]/.test(name) ? ` ${name}` : name) : word.includes(name))
const WHOLE = new Set<Kind>(['subject', 'icon', 'place', 'hint'])
