import type { ReadWord, Understanding } from '../../backend/tasks/videoProvider.port.ts'
import { actOf, steams } from './acts.ts'
import { isA } from './kinds.ts'
import { type Kind, lexicon, type Meaning } from './lexicon.ts'
import type { Mention } from './mentions.ts'
import { placeOf } from './placeOf.ts'
import { isAdjective, isMerged, type Reading, readPrompt, type Wanted } from './readPrompt.ts'

type Drawn = Readonly<{ as: 'drawn' | 'drawn_as'; label?: string | undefined }> | undefined

/** Kinds of words that say how a thing is, not what. They are named, but do not decide what is enough. */
const LIGHT = new Set<Kind | undefined>(['quality', 'linked', 'colour', 'count', 'size', 'style'])
const SILENT = new Set<Kind | undefined>(['filler', 'negator'])
/** Weather of places without a sky: they show it at a window, or not at all. */
const WEATHERS: Readonly<Record<string, string>> = {
  table: 'rain snow',
  room: 'rain snow',
  stage: '',
  underwater: '',
  space: '',
}
const HOURS: Readonly<Record<string, string>> = { space: 'night', moon: 'night', stage: 'night', underwater: 'day' }

/**
 * Returns which words of a prompt the demo draws: all but those that only join others, and those about the camera or the
 * style. It is enough if half of the things and actions are drawn, and nearly all things where none is a figure. See
 * docs/decisions/0077-nothing-empty-is-sold.md.
 */
export function understand(prompt: string, language: 'en' | 'zh'): Understanding {
  const reading = readPrompt(prompt)
  const reader = new Reader(reading, language)
  const read = reading.mentions.filter(({ meanings }) => !SILENT.has(meanings[0]?.kind))
  const words = read.map((mention): ReadWord => {
    const { at: start, end } = mention
    const text = prompt.slice(start, end)
    const { as = 'missing', label } = reader.drawn(mention) ?? {}
    return { text, start, end, as, ...(label && label !== text.toLowerCase() && { label }) }
  })
  const heavy = words.filter((_, i) => {
    const { at, meanings } = read[i]!
    return !LIGHT.has(meanings[0]?.kind) && !isAdjective(read[i]!) && !reading.unwanted.has(at)
  })
  const lost = heavy.filter(({ as }) => as === 'missing').length
  // Without a figure, a missing thing leaves an empty picture.
  const absent = heavy.filter(({ as, text }) => as === 'missing' && !text.endsWith('ing')).length
  const isPeopled = reading.subjects.length > 0
  const implied = isPeopled && !reading.place ? [reader.nameOf({ kind: 'place', value: reader.place }) ?? ''] : []
  const inPrompt = words.filter(({ as }) => as !== 'missing').map(({ text, label }) => label ?? text.toLowerCase())
  const missing = words.filter(({ as }) => as === 'missing').map(({ text }) => text.toLowerCase())
  return {
    words,
    drawn: [...new Set([...inPrompt, ...implied])],
    missing: [...new Set(missing)],
    enough: heavy.length > lost && 2 * lost <= heavy.length && (isPeopled || 5 * absent <= heavy.length),
  }
}

/** Decides how each word of a reading is drawn. */
class Reader {
  readonly place: string
  readonly #reading: Reading
  readonly #language: 'en' | 'zh'

  constructor(reading: Reading, language: 'en' | 'zh') {
    this.#reading = reading
    this.#language = language
    this.place = placeOf(reading)
  }

  nameOf = (meaning: Pick<Meaning, 'kind' | 'value'>) => lexicon().nameOf(meaning, this.#language)

  /** Returns how a word is drawn, by the best of its meanings; undefined if it is not. */
  drawn(mention: Mention): Drawn {
    if (this.#reading.unwanted.has(mention.at)) return { as: 'drawn' }
    const all = mention.meanings.map((meaning) => this.#meaning(mention, meaning))
    return all.find((drawn) => drawn?.as === 'drawn') ?? all.find((drawn) => drawn)
  }

  #as = ({ kind, value: own, exact }: Meaning, value = own): Drawn => ({
    as: exact && value === own ? 'drawn' : 'drawn_as',
    label: this.nameOf({ kind, value }),
  })

  /** The mother of ducklings is a duck. */
  #figure = (meaning: Meaning, { name, isIcon }: Wanted) =>
    this.#as({ ...meaning, kind: isIcon ? 'icon' : 'subject' }, name)

  #meaning(mention: Mention, meaning: Meaning): Drawn {
    const { kind, value } = meaning
    const { time, season, styles, about, subjects } = this.#reading
    const subject = about.get(mention.at)
    const isShown = subject && subjects.includes(subject)
    switch (kind) {
      case 'place':
        return this.#placed(meaning)
      case 'time':
        return value === (HOURS[this.place] ?? time) ? this.#as(meaning) : undefined
      case 'weather':
        return (WEATHERS[this.place] ?? value).includes(value) ? this.#as(meaning) : undefined
      case 'season':
        return value === season ? this.#as(meaning) : undefined
      case 'style':
        return styles.includes(value) ? this.#as(meaning) : undefined
      case 'verb':
        return isShown ? this.#act(meaning, subject) : undefined
      case 'linked':
        return this.#next(mention)
      case 'quality':
        return value === 'steam' && subjects.some(({ name }) => steams(name)) ? { as: 'drawn' } : undefined
      case 'subject':
      case 'icon':
        return isShown ? this.#figure(meaning, subject) : undefined
      case 'held':
        return isShown || isMerged([meaning], subjects) ? this.#as(meaning) : undefined
      case 'relation':
        return isShown && subject.relation?.kind === value ? { as: 'drawn' } : undefined
      case 'clothes':
        return isShown ? { as: 'drawn_as', label: this.nameOf(meaning) } : undefined
      case 'colour':
      case 'size':
      case 'count':
        return isShown ? { as: 'drawn' } : undefined
      default:
        return undefined
    }
  }

  #act(meaning: Meaning, subject: Wanted): Drawn {
    const act = actOf(subject, meaning.value, this.place)
    if (act === 'drive' && isA('person', subject.name)) return { as: 'drawn' }
    return act ? this.#as(meaning, act) : undefined
  }

  /** A prompt with several places is drawn in one of them. Every place but a room has a sky. */
  #placed(meaning: Meaning): Drawn {
    const { value } = meaning
    const { place } = this.#reading
    if (value === this.place || (value === 'sky' && !(this.place in WEATHERS))) return this.#as(meaning)
    const isHere = value === place || (place === 'street' && value === 'city')
    return isHere ? this.#as({ ...meaning, exact: false }, this.place) : undefined
  }

  /** "holding", "wearing" and "a slice of" are drawn as far as their noun is. */
  #next(mention: Mention): Drawn {
    const { mentions } = this.#reading
    const next = mentions.find(
      ({ at, meanings }) => at >= mention.end && !meanings.some(({ kind }) => LIGHT.has(kind) || SILENT.has(kind)),
    )
    const drawn = next && this.drawn(next)
    return drawn && { as: 'drawn' }
  }
}
