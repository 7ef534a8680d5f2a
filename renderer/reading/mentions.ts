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

/** Looks up a phrase. Its last word may be inflected; a form in -ing or -ed is never a thing: "cooking" is no cook. */
function meaningsOf(words: readonly string[]): { meanings: readonly Meaning[]; plural: boolean } {
  const known = lexicon().words
  const last = words.at(-1)!
  for (const { stem, plural } of stemsOf(last)) {
    const meanings = known.get([...words.slice(0, -1), stem].join(' '))
    const bent = stem !== last && !plural && !last.endsWith("'s")
    const fitting = meanings?.filter(({ kind }) => !bent || kind === 'verb' || kind === 'weather')
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
  if (word.endsWith('es')) add(2, '', true)
  if (word.endsWith('s') && !word.endsWith('ss')) add(1, '', true)
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

const isHan = (character: string) => /\p{Script=Han}/u.test(character)

/** Made when it is needed, because that takes 10 ms. */
let segmenter: Intl.Segmenter | undefined

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
  return { length: whole.length, meanings: [{ kind, value: `${Math.min(9, value)}` }] }
}

function* chineseMentions(text: string): Generator<Mention> {
  segmenter ??= new Intl.Segmenter('zh', { granularity: 'word' })
  const segments = [...segmenter.segment(text)]
  let unknown = ''
  const flush = (at: number): Mention[] => {
    const rest = unknown
    unknown = ''
    return rest ? [{ text: rest, at: at - rest.length, end: at, meanings: [], plural: false }] : []
  }
  for (let i = 0; i < text.length; ) {
    let length = isHan(text[i]!) ? Math.min(MAX_CHARACTERS, text.length - i) : 0
    let meanings: readonly Meaning[] = []
    for (; length > 0; length--) {
      const word = text.slice(i, i + length)
      meanings = lexicon().words.get(word) ?? []
      if (length === 1) meanings = meanings.filter(({ kind }) => standsAlone(text, i, kind, segments))
      if (meanings.length > 0) break
    }
    const counted = countAt(text.slice(i, i + MAX_CHARACTERS))
    if (counted && length <= counted.length) ({ length, meanings } = counted)
    if (meanings.length === 0) {
      if (isHan(text[i]!)) unknown += text[i]
      else yield* flush(i)
      i++
      continue
    }
    yield* flush(i)
    yield { text: text.slice(i, i + length), at: i, end: i + length, meanings, plural: false }
    i += length
  }
  yield* flush(text.length)
}

/** Words that end a word of two characters without changing its meaning: 小猫, 白马, 湖上, 雨中. */
const MODIFIERS =
  /^[小大老白黑红黄蓝绿青紫灰棕粉彩金银雪野古飞橘花木胖瘦雄雌公母幼萌巨神仙一喂骑养追看放钓抱遛赶捉抓吃喝画坐乘划推煮烤种采摘牵捧拿背提]$/
const LOCATIVES = /^[上里边中下面旁前后岸畔外嚎叫吼跑]$/

/** Returns whether a single character is a word of its own here: 猫 in 小猫 is one, 宇 in 宇宙 is not. */
function standsAlone(text: string, at: number, kind: Kind, segments: readonly Intl.SegmentData[]): boolean {
  const { index, segment } = segments.findLast((part) => part.index <= at)!
  if (kind === 'filler' || segment.length === 1) return true
  const before = text.slice(index, at)
  const after = text.slice(at + 1, index + segment.length)
  if (kind === 'subject' || kind === 'place' || kind === 'hint' || kind === 'icon' || kind === 'held') {
    return (after === '' && MODIFIERS.test(before)) || (before === '' && LOCATIVES.test(after))
  }
  // Verbs, colours, seasons and weather also open or end words: 飞过, 白鹤, 秋林, 风雪.
  return before === '' || after === ''
}
