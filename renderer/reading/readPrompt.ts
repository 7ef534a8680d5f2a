import { isA } from './kinds.ts'
import { type Kind, lexicon, type Meaning } from './lexicon.ts'
import { findMentions, type Mention } from './mentions.ts'

const RELATIONS = ['on', 'behind', 'under', 'into', 'over'] as const
type Relation = (typeof RELATIONS)[number]

/** A thing that a prompt asks for. See docs/decisions/0026-honest-demo.md. */
export type Wanted = {
  /** Name of a puppet, or of an icon if `isIcon`. */
  readonly name: string
  readonly isIcon: boolean
  readonly text: string
  readonly at: number
  readonly end: number
  colour?: string | undefined
  count: number
  scale: number
  verb?: string | undefined
  held?: string | undefined
  heldColour?: string | undefined
  relation?: { kind: Relation; to: string } | undefined
}

/** What a prompt asks for, as far as it was understood. Nothing is guessed. */
export type Reading = Readonly<{
  subjects: readonly Wanted[]
  place: string | undefined
  time: string | undefined
  weather: readonly string[]
  season: string | undefined
  styles: readonly string[]
  /** Words that are not drawn, as they appear in the prompt. */
  unknown: readonly string[]
}>

const MAX_SUBJECTS = 3

/** Reads an English or Chinese prompt. */
export function readPrompt(prompt: string): Reading {
  const mentions = withoutNegated(prompt.toLowerCase(), findMentions(prompt))
  const all = (kind: Kind) => mentions.flatMap(({ meanings }) => meanings.filter((m) => m.kind === kind))
  const subjects = new Subjects(prompt.toLowerCase(), mentions).read()
  const places = all('place').map(({ value }) => value)
  const hints = all('hint').map(({ value }) => value)
  const isUrban = places.includes('city') && places.includes('street')
  const seasons = all('season').map(({ value }) => value)
  return {
    subjects: subjects.slice(0, MAX_SUBJECTS),
    place: isUrban ? 'street' : (places.find((place) => place !== 'sky' && place !== 'hill') ?? places[0] ?? hints[0]),
    time: all('time')[0]?.value,
    weather: [...new Set(all('weather').map(({ value }) => value))],
    season: seasons[0],
    styles: [...new Set(all('style').map(({ value }) => value))],
    unknown: unknownWords(mentions, subjects),
  }
}

const NOUNS = new Set<Kind>(['subject', 'icon', 'place', 'hint', 'held', 'weather', 'clothes', 'undrawn'])
const isNoun = ({ meanings }: Mention) => meanings.some(({ kind }) => NOUNS.has(kind))

const STOP = /[.,;:!?，。；！？]/
const JOINS = /^(?:or|nor|和|或|与)$/

/** Drops what a prompt does not want: the words from "no" or 没有 to the next noun, and the nouns that "or" adds to it. */
function withoutNegated(text: string, mentions: readonly Mention[]): Mention[] {
  const kept: Mention[] = []
  let end = 0
  let drops: 'nothing' | 'words' | 'joined' = 'nothing'
  for (const mention of mentions) {
    const between = text.slice(end, mention.at)
    const goesOn = drops === 'words' || JOINS.test(mention.text) || between.includes('、')
    if (mention.meanings[0]?.kind === 'negator') drops = 'words'
    else if (drops === 'nothing' || STOP.test(between) || !goesOn) {
      drops = 'nothing'
      kept.push(mention)
    } else if (JOINS.test(mention.text)) drops = 'words'
    else if (isNoun(mention) || /\p{Script=Han}/u.test(mention.text)) drops = 'joined'
    end = mention.end
  }
  return kept
}

function unknownWords(mentions: readonly Mention[], subjects: readonly Wanted[]): string[] {
  const drawn = new Set(subjects.slice(0, MAX_SUBJECTS).flatMap(({ at }) => at))
  const words = mentions.filter(({ meanings, text, at }) => {
    if (meanings.length === 0) return text.length > 1 || /\p{Script=Han}/u.test(text)
    const isThing = meanings.every(({ kind }) => kind === 'subject' || kind === 'icon')
    const isLoose = meanings.every(({ kind }) => kind === 'held') && !isMerged(meanings, subjects)
    const { kind } = meanings[0]!
    return (
      kind === 'hint' || kind === 'undrawn' || isLoose || (isThing && !drawn.has(at) && !isMerged(meanings, subjects))
    )
  })
  return [...new Set(words.map(({ text }) => text))]
}

/** Returns whether a word is part of a subject that was read: a repetition, a held thing, clothes or a general noun. */
function isMerged(meanings: readonly Meaning[], subjects: readonly Wanted[]): boolean {
  const drawn = subjects.slice(0, MAX_SUBJECTS)
  return meanings.some(({ value }) => isA('general', value) || drawn.some((s) => s.name === value || s.held === value))
}

/** Collects the subjects of a prompt from left to right, with the adjectives before and the verbs around each. */
class Subjects {
  readonly #text: string
  readonly #mentions: readonly Mention[]
  readonly #subjects: Wanted[] = []
  #pending: { colour?: string; count?: number; scale?: number; end: number } = { end: -99 }
  #looseVerb: string | undefined
  #looseHeld: Pick<Wanted, 'held' | 'heldColour'> | undefined

  constructor(text: string, mentions: readonly Mention[]) {
    this.#text = text
    this.#mentions = mentions
  }

  read(): Wanted[] {
    for (const mention of this.#mentions) for (const meaning of this.#relevant(mention)) this.#take(mention, meaning)
    for (const [i, subject] of this.#subjects.entries()) this.#relate(subject, this.#subjects[i + 1])
    return this.#subjects
  }

  /** Chooses among several meanings: a held thing if somebody can hold it, else the thing itself. */
  #relevant({ meanings, end }: Mention): readonly Meaning[] {
    const thing = meanings.find(({ kind }) => kind === 'subject' || kind === 'icon')
    const held = meanings.find(({ kind }) => kind === 'held')
    if (held) return this.#holder() || this.#text[end] === '的' ? [held] : thing ? [thing] : []
    return meanings
  }

  #holder = () => this.#subjects.findLast(({ name, held }) => isA('person', name) && !held)

  #take(mention: Mention, { kind, value }: Meaning): void {
    if (kind === 'colour') this.#pending = { ...this.#fresh(mention), colour: value, end: mention.end }
    const last = this.#subjects.at(-1)
    const isGroup = kind === 'count' && last && this.#text.slice(last.end, mention.at).trim() === ''
    if (isGroup) last.count = Number(value)
    else if (kind === 'count') this.#pending = { ...this.#fresh(mention), count: Number(value), end: mention.end }
    if (kind === 'size') this.#pending = { ...this.#fresh(mention), scale: Number(value), end: mention.end }
    // A cowboy hat and a lion statue are no cowboy and no lion.
    if ((kind === 'clothes' || kind === 'undrawn') && last && this.#follows(last, mention)) this.#subjects.pop()
    else if (kind === 'clothes') this.#dress(mention)
    if (kind === 'held') this.#hold(mention, value)
    if (kind === 'verb') this.#act(mention, value)
    if (kind === 'subject' || kind === 'icon') this.#add(mention, value, kind === 'icon')
  }

  /** Returns the adjectives that still wait for their noun: those directly before this word. */
  #fresh = ({ at }: Mention) => (at - this.#pending.end < 4 ? this.#pending : { end: -99 })

  /** Returns whether an English noun is directly after another one. */
  #follows = (before: Wanted, { at, text }: Mention) =>
    this.#text.slice(before.end, at).trim() === '' && /[a-z]/.test(text)

  #hold(mention: Mention, value: string): void {
    const { colour } = this.#near(mention)
    const holder = this.#holder()
    if (holder) Object.assign(holder, { held: value, heldColour: colour })
    // 撑着红伞的女孩: the holder follows.
    else this.#looseHeld = { held: value, heldColour: colour }
    this.#pending = { end: -99 }
  }

  /** Clothes dye the person before them, or leave their colour to the person that follows. */
  #dress(mention: Mention): void {
    const { colour } = this.#near(mention)
    const wearer = this.#subjects.findLast(({ name }) => isA('person', name))
    if (wearer && colour) wearer.colour ??= colour
    if (colour && !wearer) this.#pending = { colour, end: mention.end }
  }

  #near = ({ at }: Mention) => (at - this.#pending.end < 14 ? this.#pending : { end: -99 })

  #act(mention: Mention, verb: string): void {
    const next = this.#mentions.find(({ at }) => at >= mention.end)
    const ahead = this.#text.slice(mention.end, next?.at)
    const describesNext =
      /^(?:的|着的)/.test(this.#text.slice(mention.end)) || (mention.text.endsWith('ing') && ahead === ' ')
    const last = this.#subjects.at(-1)
    const isNextThing = next?.meanings.some(({ kind }) => kind === 'subject' || kind === 'icon') ?? false
    if (!last || (describesNext && isNextThing && last.verb)) this.#looseVerb ??= verb
    else {
      const actor = last.verb ? (this.#subjects.findLast((s) => !s.verb) ?? last) : last
      if (!actor.verb || actor.verb === 'stand') actor.verb = verb
      if (verb === 'water' || verb === 'fish') actor.held ??= verb === 'fish' ? 'rod' : 'can'
    }
  }

  #add(mention: Mention, name: string, isIcon: boolean): void {
    const { colour, count, scale } = this.#near(mention)
    const before = this.#subjects.at(-1)
    const isAdjacent = before && this.#follows(before, mention)
    const home = lexicon().homeOf(name)
    if (home === 'clothing') return
    const isKind = isAdjacent && isA('general', name) && !before.isIcon
    if (this.#subjects.some((other) => other.name === name) || isKind || this.#isRelative(mention)) return
    const isYoung = before && isAdjacent && isA('young', name)
    if (isYoung) return
    // The last noun of a compound is the thing: an apple tree is a tree.
    if (isAdjacent) this.#subjects.pop()
    const many = mention.plural && home !== 'table' && home !== 'clothing' ? 3 : 1
    const { text, at, end } = mention
    this.#subjects.push({
      name,
      isIcon,
      text,
      at,
      end,
      colour,
      count: isA('group', name) ? 1 : (count ?? many),
      scale: scale ?? 1,
      verb: this.#looseVerb,
      ...(isA('person', name) && this.#looseHeld),
    })
    if (isA('person', name)) this.#looseHeld = undefined
    this.#pending = { end: -99 }
    this.#looseVerb = undefined
  }

  /** Returns whether "their mother" or "its feathers" follows an animal, as a part of it or one of its kind. */
  #isRelative({ at, text }: Mention): boolean {
    const animal = this.#subjects.at(-1)
    if (!animal || isA('person', animal.name)) return false
    return (
      /^(?:mother|father|mum|mom|dad|parents?|feathers?|horns?|shell|妈妈|爸爸|母亲|父亲)$/.test(text) &&
      /(?:(?:its|their|her|his) |[它他她]们?的)$/.test(this.#text.slice(0, at))
    )
  }

  /** Returns the preposition between two things, unless another noun or "and" comes between it and the second one. */
  #prepositionOf(subject: Wanted, next: Wanted): string | undefined {
    const found = PREPOSITION.exec(this.#text.slice(subject.end, next.at))
    const from = subject.end + (found?.index ?? 0)
    const isOther = (mention: Mention) => isNoun(mention) || mention.meanings.length === 0
    const between = this.#mentions.filter(({ at }) => at > from && at < next.at)
    return between.some(isOther) ? undefined : found?.[1]
  }

  /** Reads "on", "behind", "into" … between two subjects, and 上, 后面, 下的 … after the second or the first. */
  #relate(subject: Wanted, next: Wanted | undefined): void {
    if (!next) return
    const between = this.#text.slice(subject.end, next.at)
    const after = this.#text.slice(next.end, next.end + 3)
    const english = this.#prepositionOf(subject, next)
    const rides = isA('person', subject.name) && (isA('mount', next.name) || next.name.endsWith('cycle'))
    if (rides && (subject.verb === 'drive' || english === 'on' || /[骑]/.test(between))) {
      subject.relation = { kind: 'on', to: next.name }
      return
    }
    const kind = english ? ENGLISH_RELATIONS[english] : between.includes('在') ? chineseRelation(after) : undefined
    if (kind) subject.relation = { kind, to: next.name }
    const reversed = chineseRelation(between)
    if (!kind && reversed && between.includes('的')) next.relation = { kind: reversed, to: subject.name }
  }
}

const PREPOSITION =
  /\b(on|onto|atop|behind|under|beneath|into|in|over|above|inside)\b(?!.*\b(?:on|behind|under|into|in|over|near|by|with|and|or)\b)/

const ENGLISH_RELATIONS: Readonly<Record<string, Relation>> = {
  ...{ on: 'on', onto: 'on', atop: 'on', behind: 'behind', under: 'under', beneath: 'under' },
  ...{ into: 'into', in: 'into', inside: 'into', over: 'over', above: 'over' },
}

function chineseRelation(text: string): Relation | undefined {
  const [, place] = /^(后|上空|上方|上|下|里|中)/.exec(text) ?? []
  const relations: Record<string, Relation> = {
    后: 'behind',
    上: 'on',
    下: 'under',
    里: 'into',
    中: 'into',
    上空: 'over',
    上方: 'over',
  }
  return place ? relations[place] : undefined
}
