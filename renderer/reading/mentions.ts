import { type Kind, lexicon, type Meaning } from './lexicon.ts'

/** A known word of a prompt, with all its meanings, or an unknown one without any. */
export type Mention = Readonly<{
  text: string
  at: number
  end: number
  meanings: readonly Meaning[]
  /** Whether an English noun has its plural ending. */
  plural: boolean
}>

const MAX_WORDS = 4
const MAX_CHARACTERS = 6

/** Finds the words of a prompt in order. The longest name wins, so that 熊猫 is no 猫 and 上海 no 海. */
export function findMentions(prompt: string): Mention[] {
  const text = prompt.toLowerCase()
  return [...englishMentions(text), ...chineseMentions(text)].toSorted((a, b) => a.at - b.at)
}

function* englishMentions(text: string): Generator<Mention> {
  const tokens = [...text.matchAll(/[a-z\u00e0-\u00ff0-9][a-z\u00e0-\u00ff0-9'-]*/g)]
  for (let i = 0; i < tokens.length; ) {
    let taken = 1
    let found: { meanings: readonly Meaning[]; plural: boolean } = { meanings: [], plural: false }
    for (let length = Math.min(MAX_WORDS, tokens.length - i); length > 0; length--) {
      found = meaningsOf(tokens.slice(i, i + length).map(([word]) => word))
      if (found.meanings.length === 0) continue
      taken = length
      break
    }
    const last = tokens[i + taken - 1]!
    const [at, end] = [tokens[i]!.index, last.index + last[0].length]
    yield { text: text.slice(at, end), at, end, ...found }
    i += taken
  }
}

const BENDS = new Set<Kind>(['verb', 'weather', 'idle', 'relation', 'linked', 'quality'])

/** Looks up a phrase. Its last word may be inflected; a form in -ing or -ed is never a thing: "cooking" is no cook. */
function meaningsOf(words: readonly string[]): { meanings: readonly Meaning[]; plural: boolean } {
  const known = lexicon().words
  const last = words.at(-1)!
  for (const { stem, plural } of stemsOf(last)) {
    const meanings = known.get([...words.slice(0, -1), stem].join(' '))
    const bent = stem !== last && !plural && !last.endsWith("'s")
    const fitting = meanings?.filter(({ kind }) => !bent || BENDS.has(kind))
    if (fitting?.length) return { meanings: fitting, plural }
  }
  return { meanings: [], plural: false }
}

function stemsOf(word: string): { stem: string; plural: boolean }[] {
  const stems = [
    {
      stem: word,
      plural:
        /(?:eese|ice|men|wolves|foxes|ies|ves|people|children|crowd)$/.test(word) && word !== 'rice' && word !== 'ice',
    },
  ]
  const add = (cut: number, ending: string, plural: boolean) =>
    stems.push({ stem: word.slice(0, -cut) + ending, plural })
  if (word.endsWith("'s")) add(2, '', false)
  if (word.endsWith('men')) add(3, 'man', true)
  if (word.endsWith('ves')) for (const ending of ['f', 'fe']) add(3, ending, true)
  if (word.endsWith('ies')) add(3, 'y', true)
  // "Bees" are no form of "be".
  if (word.endsWith('s') && !word.endsWith('ss')) add(1, '', true)
  if (word.endsWith('es')) add(2, '', true)
  if (word.endsWith('ing'))
    for (const [cut, ending] of [
      [3, ''],
      [3, 'e'],
      [4, ''],
    ] as const)
      add(cut, ending, false)
  if (word.endsWith('ed')) for (const cut of [2, 1, 3]) add(cut, '', false)
  return stems
}

/** A numeral with its measure word: 五匹, 三只, 十几个. */
const COUNTED =
  /^([一二两三四五六七八九十几数]|\d+)[十百千]?[几多来余]?[只头匹条个位名朵艘辆架座棵株片盏把串根颗件台部本张幅块碗盘杯瓶壶尊支枝]/

/** Returns the number of things at the start of a text and how many characters say it; above nine there are nine. */
function countAt(text: string): { length: number; meanings: readonly Meaning[] } | undefined {
  const [whole, numeral = ''] = COUNTED.exec(text) ?? []
  if (!whole) return undefined
  const digit = /\d/.test(numeral) ? Number(numeral) : '一二三四五六七八九'.indexOf(numeral) + 1
  const value = /[十百千]/.test(whole) ? 9 : numeral === '两' ? 2 : numeral === '几' || numeral === '数' ? 3 : digit
  const kind = value > 1 ? 'count' : 'filler'
  return { length: whole.length, meanings: [{ kind, value: `${Math.min(9, value)}`, exact: true }] }
}

type Piece = { length: number; meanings: readonly Meaning[]; known: boolean }

/** Cuts runs of Chinese characters into words. Fewer and longer words win, and a known word wins over unknown characters. */
function* chineseMentions(text: string): Generator<Mention> {
  for (const { 0: run, index } of text.matchAll(/\p{Script=Han}+/gu)) {
    let at = index
    for (const { length, meanings } of joined(run, cut(run))) {
      yield { text: text.slice(at, at + length), at, end: at + length, meanings, plural: false }
      at += length
    }
  }
}

/** Costs of a piece: a word, a phrase of ICU's dictionary, a function word of one character, another one or ICU's word, and no word. */
const COST = { word: 1, phrase: 2.2, particle: 1.1, character: 1.6, unknown: 3 }
/** ICU's dictionary, which knows most words, but cuts compounds apart and takes prepositions for parts of words. */
const DICTIONARY = new Intl.Segmenter('zh', { granularity: 'word' })
const NO_WORD = /^[在从对向把被给中上一两]|[在了着得的]$/

/** 白鹤 is a white crane. */
function isDyed(word: string): boolean {
  const rest = lexicon().words.get(word.slice(1)) ?? []
  return /^[白黑红黄灰绿青]/.test(word) && rest.some(({ kind }) => kind === 'subject')
}

function cut(run: string): Piece[] {
  const best: { cost: number; pieces: readonly Piece[] }[] = []
  best[run.length] = { cost: 0, pieces: [] }
  const foreign = new Map<number, number>()
  for (const { segment, index } of DICTIONARY.segment(run))
    if (segment.length > 1 && !NO_WORD.test(segment) && !isDyed(segment)) foreign.set(index, segment.length)
  for (let at = run.length - 1; at >= 0; at--) {
    for (const [piece, cost] of piecesAt(run.slice(at, at + MAX_CHARACTERS), foreign.get(at))) {
      const rest = best[at + piece.length]!
      const total = cost + rest.cost
      if (total < (best[at]?.cost ?? Number.POSITIVE_INFINITY))
        best[at] = { cost: total, pieces: [piece, ...rest.pieces] }
    }
  }
  return [...best[0]!.pieces]
}

/** Returns what a text may begin with, longest first. */
function* piecesAt(text: string, foreign = 0): Generator<[Piece, number]> {
  const counted = countAt(text)
  if (foreign) yield [{ length: foreign, meanings: [], known: true }, foreign > 3 ? COST.phrase : COST.character]
  if (counted) yield [{ ...counted, known: true }, COST.word]
  for (let length = text.length; length > 0; length--) {
    const meanings = lexicon().words.get(text.slice(0, length))
    const cost = length > 1 ? COST.word : meanings?.[0]?.kind === 'filler' ? COST.particle : COST.character
    if (meanings) yield [{ length, meanings, known: true }, cost]
  }
  yield [{ length: 1, meanings: [], known: false }, COST.unknown]
}

/** Characters that are never half of a word. */
const PARTICLE = /^[的了在着里上中下过和与向被把让是也都又很就才这那他她它我你们为而以及其并且会能要想呢吧啊]$/
const THINGS = new Set<Kind>(['subject', 'icon', 'held', 'hint', 'place', 'undrawn'])
const isThing = ({ length, meanings }: Piece) => length === 1 && meanings.some(({ kind }) => THINGS.has(kind))

const ACTS = new Set<Kind>(['verb', 'idle', 'relation', 'linked'])
/** What follows a verb of one character: where it leads, or what comes of it. */
const COMPLEMENT = /^(?:[出起上下进过回]?[来去]|[出起过走开入进弯住倒]|上|下)$/
/** The last character of a compound: 香水瓶 is a bottle, 校门口 an entrance. */
const HEAD =
  /^[摊店瓶灯寺庙江河湖桥族者员师生品家机器仪车船纸布石汤色俩镜路街声节口服鞋剑盒罐桶柜杯碗架板棒楼塔亭馆院园场厂站港]$/

/** Returns the meanings of a compound of two pieces, or undefined if they are two words. */
function compoundOf(last: Piece, piece: Piece, text: string): readonly Meaning[] | undefined {
  const acts = last.meanings.filter(({ kind }) => ACTS.has(kind))
  const isVerb = acts.length > 0 || (last.meanings.length === 0 && !/[上下]/.test(text))
  if (last.length === 1 && isVerb && COMPLEMENT.test(text)) return acts
  const isNoun = last.meanings.every(({ kind }) => THINGS.has(kind))
  if (last.length === 1 || !isNoun || !HEAD.test(text)) return undefined
  return /[桥车船楼塔]/.test(text) ? piece.meanings.map((meaning) => ({ ...meaning, exact: false })) : []
}

/**
 * Joins what is half of a word: a verb with its complement, the parts of a compound, an unknown character with its
 * neighbours, and two nouns of one character. 垫 after 地 makes one unknown word, and so do 马 and 灯.
 */
function joined(run: string, pieces: readonly Piece[]): Piece[] {
  const words: Piece[] = []
  let at = 0
  for (const piece of pieces) {
    const last = words.at(-1)
    const isLoose = ({ length, known }: Piece, end: number) =>
      !known || (length === 1 && !PARTICLE.test(run.slice(end - 1, end)))
    const isHalf =
      last !== undefined &&
      ((!piece.known && isLoose(last, at)) ||
        (!last.known && (last.length === 1 || !piece.known) && isLoose(piece, at + piece.length)) ||
        (isThing(last) && isThing(piece)))
    const compound = last && compoundOf(last, piece, run.slice(at, at + piece.length))
    if (compound) words[words.length - 1] = { length: last.length + piece.length, meanings: compound, known: true }
    else if (isHalf) words[words.length - 1] = { length: last.length + piece.length, meanings: [], known: false }
    else words.push(piece)
    at += piece.length
  }
  return words
}
