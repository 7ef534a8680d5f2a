import { isA } from './kinds.ts'
import { type Kind, lexicon, type Meaning } from './lexicon.ts'
import { findMentions, type Mention } from './mentions.ts'

type Relation = 'on' | 'behind' | 'under' | 'into' | 'over'
/** What two subjects do with each other. */
type Deed = 'hug' | 'face' | 'chase' | 'catch' | 'propose'

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
  relation?: { kind: Relation | Deed; to: string } | undefined
}

/** What a prompt asks for, as far as it was understood. Nothing is guessed. */
export type Reading = Readonly<{
  subjects: readonly Wanted[]
  place: string | undefined
  time: string | undefined
  weather: readonly string[]
  season: string | undefined
  styles: readonly string[]
  /** All words of the prompt in order. */
  mentions: readonly Mention[]
  /** Positions of the words that the prompt wants not to see. */
  unwanted: ReadonlySet<number>
  /** Subjects by the positions of the words that say something of them, such as a verb or a colour. */
  about: ReadonlyMap<number, Wanted>
}>

const MAX_SUBJECTS = 3

/** Reads an English or Chinese prompt. */
export function readPrompt(prompt: string): Reading {
  const mentions = findMentions(prompt)
  const wanted = withoutNegated(prompt.toLowerCase(), mentions)
  const all = (kind: Kind) =>
    wanted.flatMap(({ meanings }) => meanings.filter((m) => m.kind === kind)).map(({ value }) => value)
  const { subjects, about, chosen } = new Subjects(prompt.toLowerCase(), wanted).read()
  const places = all('place')
  const isUrban = places.includes('city') && places.includes('street')
  return {
    subjects: subjects.slice(0, MAX_SUBJECTS),
    place: isUrban
      ? 'street'
      : (places.find((place) => place !== 'sky' && place !== 'hill') ?? places[0] ?? all('hint')[0]),
    time: all('time')[0],
    weather: [...new Set(all('weather'))],
    season: all('season')[0],
    styles: [...new Set(all('style'))],
    mentions: mentions.map((mention) => ({ ...mention, meanings: chosen.get(mention.at) ?? mention.meanings })),
    unwanted: new Set(mentions.filter((mention) => !wanted.includes(mention)).map(({ at }) => at)),
    about,
  }
}

const NOUNS = new Set<Kind>(['subject', 'icon', 'place', 'hint', 'held', 'weather', 'clothes', 'undrawn'])
const ADJECTIVE = /(?:ly|ous|ful|less|ish|able|ible|like|esque|wards?|ic|al|ive|ed|est|en)$/
/** Returns whether a word without a meaning looks like an adjective or an adverb. */
export const isAdjective = ({ text, meanings }: Mention) => meanings.length === 0 && ADJECTIVE.test(text)
const isNoun = (mention: Mention) =>
  mention.meanings.length === 0 ? !isAdjective(mention) : mention.meanings.some(({ kind }) => NOUNS.has(kind))

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
    else if (isNoun(mention)) drops = 'joined'
    end = mention.end
  }
  return kept
}

/** Returns whether a word is part of a subject that was read: a repetition, a held thing, clothes or a general noun. */
export function isMerged(meanings: readonly Meaning[], subjects: readonly Wanted[]): boolean {
  return meanings.some(({ value }) => subjects.some((s) => s.name === value || s.held === value))
}

/** Collects the subjects of a prompt from left to right, with the adjectives before and the verbs around each. */
class Subjects {
  readonly #text: string
  readonly #mentions: readonly Mention[]
  readonly #subjects: Wanted[] = []
  readonly #about = new Map<number, Wanted>()
  readonly #chosen = new Map<number, readonly Meaning[]>()
  readonly #deeds: { mention: Mention; kind: Deed }[] = []
  #pending: Pending = NONE
  #looseVerb: { verb: string; at: number } | undefined
  #looseHeld: (Pick<Wanted, 'held' | 'heldColour'> & { from: readonly number[] }) | undefined

  constructor(text: string, mentions: readonly Mention[]) {
    this.#text = text
    this.#mentions = mentions
  }

  read() {
    for (const [i, mention] of this.#mentions.entries()) {
      const meanings = this.#relevant(mention)
      this.#chosen.set(mention.at, meanings)
      for (const meaning of meanings) this.#take(mention, meaning)
      // A colour belongs to the noun that follows, and to no other one. In a compound, that is the last noun.
      const next = this.#mentions[i + 1]
      const isCompound = next && isNoun(next) && this.#text.slice(mention.end, next.at) === ' '
      if (isNoun(mention) && !isCompound && !isClothes(mention)) this.#pending = NONE
    }
    for (const [i, subject] of this.#subjects.entries()) this.#relate(subject, this.#subjects[i + 1])
    for (const { mention, kind } of this.#deeds) this.#join(mention, kind)
    return { subjects: this.#subjects, about: this.#about, chosen: this.#chosen }
  }

  /** Notes that words say something of a subject. */
  #note(subject: Wanted, ...positions: readonly number[]): void {
    for (const at of positions) this.#about.set(at, subject)
  }

  /** Chooses among several meanings: a verb directly after its subject, a held thing if somebody can hold it, else the thing. */
  #relevant(mention: Mention): readonly Meaning[] {
    const { meanings, end, text } = mention
    const last = this.#subjects.at(-1)
    const deeds = meanings.filter(({ kind }) => kind === 'verb' || kind === 'idle' || kind === 'relation')
    // "A chef cooks" has no cooks in it.
    if (last && deeds.length > 0 && text.endsWith('s') && this.#follows(last, mention)) return deeds
    const thing = meanings.find(({ kind }) => kind === 'subject' || kind === 'icon')
    const held = meanings.find(({ kind }) => kind === 'held')
    if (held) return this.#holder() || this.#text[end] === '的' ? [held] : thing ? [thing] : []
    return meanings
  }

  #holder = () => this.#subjects.findLast(({ name, held }) => isA('person', name) && !held)

  #take(mention: Mention, { kind, value }: Meaning): void {
    const add = (adjective: Partial<Pending>) => {
      const before = this.#fresh(mention)
      this.#pending = { ...before, ...adjective, from: [...before.from, mention.at], end: mention.end }
    }
    if (kind === 'colour') add({ colour: value })
    const last = this.#subjects.at(-1)
    const isGroup = kind === 'count' && last && this.#text.slice(last.end, mention.at).trim() === ''
    if (isGroup) {
      last.count = Number(value)
      this.#note(last, mention.at)
    } else if (kind === 'count') add({ count: Number(value) })
    if (kind === 'size') add({ scale: Number(value) })
    // A cowboy hat and a lion statue are no cowboy and no lion.
    if ((kind === 'clothes' || kind === 'undrawn') && last && this.#follows(last, mention)) this.#subjects.pop()
    else if (kind === 'clothes') this.#dress(mention)
    if (kind === 'held') this.#hold(mention, value)
    if (kind === 'verb') this.#act(mention, value)
    if (kind === 'idle') this.#act(mention, 'stand')
    if (kind === 'relation') this.#deeds.push({ mention, kind: value as Deed })
    if (kind === 'subject' || kind === 'icon') this.#add(mention, value, kind === 'icon')
  }

  /** Returns the adjectives that still wait for their noun: those directly before this word. */
  #fresh = ({ at }: Mention) => (at - this.#pending.end < 4 ? this.#pending : NONE)

  /** Returns whether an English noun is directly after another one. */
  #follows = (before: Wanted, { at, text }: Mention) =>
    this.#text.slice(before.end, at).trim() === '' && /[a-z]/.test(text)

  #hold(mention: Mention, value: string): void {
    const { colour, from } = this.#near(mention)
    const holder = this.#holder()
    if (holder) {
      Object.assign(holder, { held: value, heldColour: colour })
      this.#note(holder, ...from, mention.at)
    }
    // 撑着红伞的女孩: the holder follows.
    else this.#looseHeld = { held: value, heldColour: colour, from: [...from, mention.at] }
    this.#pending = NONE
  }

  /** Clothes dye the person before them, or leave their colour to the person that follows. */
  #dress(mention: Mention): void {
    const { colour, from } = this.#near(mention)
    this.#pending = NONE
    if (!colour) return
    const wearer = this.#subjects.findLast(({ name }) => isA('person', name))
    if (!wearer) this.#pending = { colour, from: [...from, mention.at], end: mention.end }
    else if (!wearer.colour) {
      wearer.colour = colour
      this.#note(wearer, ...from, mention.at)
    }
  }

  #near = ({ at }: Mention) => (at - this.#pending.end < 24 ? this.#pending : NONE)

  #act(mention: Mention, verb: string): void {
    const next = this.#mentions.find(({ at }) => at >= mention.end)
    const ahead = this.#text.slice(mention.end, next?.at)
    const describesNext =
      /^(?:的|着的)/.test(this.#text.slice(mention.end)) || (mention.text.endsWith('ing') && ahead === ' ')
    const last = this.#subjects.at(-1)
    const isNextThing = next?.meanings.some(({ kind }) => kind === 'subject' || kind === 'icon') ?? false
    if (!last || (describesNext && isNextThing && last.verb)) this.#looseVerb ??= { verb, at: mention.at }
    else {
      const actor = last.verb ? (this.#subjects.findLast((s) => !s.verb) ?? last) : last
      if (!actor.verb || actor.verb === 'stand') actor.verb = verb
      if (actor.verb === verb) this.#note(actor, mention.at)
      if (verb === 'water' || verb === 'fish') actor.held ??= verb === 'fish' ? 'rod' : 'can'
    }
  }

  #add(mention: Mention, name: string, isIcon: boolean): void {
    const { colour, count, scale, from } = this.#near(mention)
    const before = this.#subjects.at(-1)
    const isAdjacent = before && this.#follows(before, mention)
    const home = lexicon().homeOf(name)
    if (home === 'clothing') return
    const isKind = isAdjacent && isA('general', name) && !before.isIcon
    const same = this.#subjects.find((other) => other.name === name)
    if (same && /(?:another|other|second|另一.)\s*$/.test(this.#text.slice(0, mention.at))) same.count++
    const isYoung = before !== undefined && isAdjacent && isA('young', name)
    if (same || isKind || isYoung || this.#isRelative(mention)) {
      this.#note(same ?? before!, mention.at)
      return
    }
    // The last noun of a compound is the thing: an apple tree is a tree.
    if (isAdjacent) this.#subjects.pop()
    const many = mention.plural && home !== 'table' && home !== 'clothing' ? 3 : 1
    const { text, at, end } = mention
    const subject: Wanted = {
      name,
      isIcon,
      text,
      at,
      end,
      colour,
      count: isA('group', name) ? 1 : (count ?? many),
      scale: scale ?? 1,
      verb: this.#looseVerb?.verb,
    }
    this.#subjects.push(subject)
    this.#note(subject, at, ...from)
    if (this.#looseVerb) this.#note(subject, this.#looseVerb.at)
    if (isA('person', name) && this.#looseHeld) {
      const { from: words, ...held } = this.#looseHeld
      Object.assign(subject, held)
      this.#note(subject, ...words)
      this.#looseHeld = undefined
    }
    this.#pending = NONE
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
    return this.#isApart(from, next.at) ? undefined : found?.[1]
  }

  /** Returns whether a noun or the end of a clause is between two positions. */
  #isApart = (from: number, to: number) =>
    STOP.test(this.#text.slice(from, to)) ||
    this.#mentions.some((word) => word.at > from && word.at < to && isNoun(word))

  /** Relates the subjects of a deed: "a man hugs a dog", "a man and a dog hug", 男人向女人求婚, 抱着猫的女孩, "two cats hug". */
  #join({ at, end }: Mention, kind: Deed): void {
    const before = this.#subjects.filter((subject) => subject.end <= at)
    const [first, second] = this.#subjects.filter((subject) => subject.at >= end)
    const [one, other] = before.slice(-2)
    const pair: readonly (Wanted | undefined)[] =
      first && !this.#isApart(end, first.at)
        ? before.length === 0 && second && this.#text[first.end] === '的'
          ? [second, first]
          : [before.at(-1), first]
        : one && other && /\band\b|&|[和与跟向对朝]/.test(this.#text.slice(one.end, other.at))
          ? [one, other]
          : before.length === 1 && one!.count > 1
            ? [one, one]
            : []
    const [actor, target] = pair
    if (!actor || !target) return
    actor.relation = { kind, to: target.name }
    actor.verb = DEED_VERBS[kind]
    if (kind === 'chase') target.verb ??= 'run'
    this.#note(actor, at)
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

const isClothes = ({ meanings }: Mention) => meanings.some(({ kind }) => kind === 'clothes')

/** Adjectives that wait for their noun, with the positions of their words. */
type Pending = Readonly<{ colour?: string; count?: number; scale?: number; from: readonly number[]; end: number }>
const NONE: Pending = { from: [], end: -99 }

const DEED_VERBS = { hug: 'hug', face: 'stand', chase: 'run', catch: 'catch', propose: 'kneel' } as const

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
