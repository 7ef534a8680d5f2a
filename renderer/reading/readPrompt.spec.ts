import { describe, expect, it } from 'vitest'
import { canDraw } from '../puppets/puppetFor.ts'
import { LATER_PROMPTS, LATEST_PROMPTS } from '../testing/laterPrompts.ts'
import { KNOWN_PROMPTS, NEW_PROMPTS, type PromptCase } from '../testing/prompts.ts'
import { lexicon } from './lexicon.ts'
import { placeOf } from './placeOf.ts'
import { readPrompt } from './readPrompt.ts'
import { understand } from './understand.ts'

const namesIn = (prompt: string) => readPrompt(prompt).subjects.map(({ name }) => name)

/** Returns the fraction of prompts whose main subject, or place after `-`, is read. */
function hitRate(cases: readonly PromptCase[]): number {
  const misses = cases.filter(([prompt, main]) =>
    main.startsWith('-')
      ? placeOf(readPrompt(prompt)) !== main.slice(1)
      : namesIn(prompt)[0] !== main && !namesIn(prompt).includes(main),
  )
  if (misses.length > 0) console.log(misses.map(([prompt, main]) => `missed ${main}: ${prompt}`).join('\n'))
  return 1 - misses.length / cases.length
}

describe('readPrompt', () => {
  it('reads the main subject of at least 85 % of the known prompts', () => {
    expect(hitRate(KNOWN_PROMPTS)).toBeGreaterThanOrEqual(0.85)
  })

  it('reads the main subject of at least 75 % of prompts written before the renderer', () => {
    expect(hitRate(NEW_PROMPTS)).toBeGreaterThanOrEqual(0.75)
  })

  it('reads the main subject of at least 90 % of prompts written before their words', () => {
    expect(hitRate([...LATER_PROMPTS, ...LATEST_PROMPTS])).toBeGreaterThanOrEqual(0.9)
  })

  it.each([...KNOWN_PROMPTS, ...NEW_PROMPTS, ...LATER_PROMPTS, ...LATEST_PROMPTS])(
    'adds no subject to: %s',
    (prompt, ...asked) => {
      expect(asked).toEqual(expect.arrayContaining(namesIn(prompt)))
    },
  )

  it.each([
    ['熊猫', ['panda']],
    ['一只猫', ['cat']],
    ['宇航员', ['astronaut']],
    ['上海的夜景', []],
    ['a man cooking', ['man']],
    ['a carpet', []],
    ['a catalogue of education', []],
    ['the bison and the bee', ['ox', 'bee']],
    ['bees on lavender', ['bee']],
    ['a sailboat, oil painting style', ['sailboat']],
    ['一艘帆船，油画风格', ['sailboat']],
    ['a woman doing yoga', ['woman']],
  ])('respects word boundaries in: %s', (prompt, expected) => {
    expect(namesIn(prompt)).toEqual(expected)
  })

  it('reads colour, count, verb and held things with their owner', () => {
    const [woman, horse] = readPrompt('a woman with a red umbrella and three white horses galloping').subjects
    expect(woman).toMatchObject({ name: 'woman', held: 'umbrella', heldColour: '#d62f2a' })
    expect(horse).toMatchObject({ name: 'horse', count: 3, colour: '#f5f3ee', verb: 'run' })
    expect(readPrompt('两只黑色的猫在草地上奔跑').subjects[0]).toMatchObject({
      name: 'cat',
      count: 2,
      colour: '#34313e',
      verb: 'run',
    })
  })

  it.each([
    ['a bee on a sunflower', 'on'],
    ['a bear behind a tree', 'behind'],
    ['a strawberry falling into a glass of milk', 'into'],
    ['a kitten under a cherry tree', 'under'],
    ['一只小鸟站在房子上', 'on'],
    ['一只猫躲在树后', 'behind'],
  ])('reads the relation in: %s', (prompt, kind) => {
    expect(readPrompt(prompt).subjects[0]?.relation?.kind).toBe(kind)
  })

  it.each([
    ['a beach without people, only a crab', ['crab']],
    ['a street with no cars or bicycles and a dog', ['dog']],
    ['an owl, not a cat but a fox', ['owl', 'fox']],
    ['没有人的海滩，只有海鸥', ['gull']],
    ['花园里没有猫和狗，只有兔子', ['rabbit']],
  ])('leaves out what is not wanted in: %s', (prompt, expected) => {
    expect(namesIn(prompt)).toEqual(expected)
  })

  it.each([
    ['seven swans', 7],
    ['a dozen sheep', 9],
    ['五匹骏马', 5],
    ['三只熊', 3],
    ['十几只羊', 9],
    ['一头牛', 1],
  ])('counts %s', (prompt, count) => {
    expect(readPrompt(prompt).subjects[0]?.count).toBe(count)
  })

  it.each([
    ['an apple tree', ['tree']],
    ['a grandfather clock', ['mantelpiece-clock']],
    ['pancakes with maple syrup', ['pancakes']],
    ['a lazy cat', ['cat']],
    ['a tennis player', ['tennisPlayer']],
    ['a cowboy hat on the grass', []],
    ['a lion statue in a park', []],
    ['a family of raccoons', ['raccoon']],
    ["a farmer's market with tomatoes", ['tomato']],
    ['五只小鸭子跟着它们的妈妈', ['duck']],
    ['ducklings follow their mother', ['duck']],
  ])('draws the last noun of a compound, and no part of a thing: %s', (prompt, expected) => {
    expect(namesIn(prompt)).toEqual(expected)
  })

  it('takes water for no act', () => {
    expect(readPrompt('a surfer, shot from the water').subjects[0]?.held).toBeUndefined()
    expect(readPrompt('a man waters the plants').subjects[0]?.held).toBe('can')
  })

  it('relates no thing to one that another noun separates from it', () => {
    expect(readPrompt('a cat on a windowsill and a dog').subjects[0]?.relation).toBeUndefined()
  })

  it('gives a held thing to the person that follows it in Chinese', () => {
    expect(readPrompt('撑着红伞的女孩').subjects).toMatchObject([
      { name: 'girl', held: 'umbrella', heldColour: '#d62f2a' },
    ])
  })

  it('reads season, hour and weather in both languages', () => {
    for (const prompt of ['a winter night in fog', '冬天的夜晚，大雾']) {
      expect(readPrompt(prompt)).toMatchObject({ season: 'winter', time: 'night', weather: ['fog'] })
    }
  })
})

describe('lexicon', () => {
  it('has a figure for every subject that it names', () => {
    const subjects = [...lexicon().words.values()].flat().filter(({ kind }) => kind === 'subject')
    expect(subjects.filter(({ value }) => !canDraw(value))).toEqual([])
  })
})

describe('understand', () => {
  const prompt = 'A red fox gathers acorns in a snowy forest at dawn'
  const marks = (text: string, language: 'en' | 'zh' = 'en') =>
    understand(text, language).words.map(({ text: word, as, label }) => `${word} ${label ?? as}`)

  it('reads every word, and names what is drawn in the language, and what is not in the words of the prompt', () => {
    expect(understand(prompt, 'en')).toMatchObject({
      drawn: ['red', 'fox', 'snow', 'forest', 'dawn'],
      missing: ['gathers', 'acorns'],
      enough: true,
    })
    expect(understand(prompt, 'zh').drawn).toEqual(['red', '狐狸', '雪', '森林', '黎明'])
    for (const { text, start, end } of understand(prompt, 'en').words) expect(prompt.slice(start, end)).toBe(text)
  })

  it.each([
    ['en', 'A dog in sneakers dunks in a kitchen', ['dog drawn', 'sneakers missing', 'dunks jump', 'kitchen room']],
    ['en', 'A giant wave near a train station', ['giant wave ocean', 'train station missing']],
    ['zh', '车队在大理石台面上漂移', ['车队 missing', '大理石 missing', '台面 missing', '漂移 missing']],
    ['zh', '队伍穿过地毯', ['队伍 missing', '穿过 missing', '地毯 missing']],
  ] as const)('leaves no word out and cuts none in half (%s): %s', (language, text, expected) => {
    expect(marks(text, language)).toEqual(expected)
  })

  it('gives a colour to the noun that follows, and to no other one', () => {
    expect(readPrompt('a red lacquer box and a cat').subjects.at(-1)).toMatchObject({ name: 'cat', colour: undefined })
    expect(readPrompt('戴着红帽子的女孩').subjects[0]).toMatchObject({ name: 'girl', colour: undefined })
    expect(readPrompt('a woman in a blue dress').subjects[0]).toMatchObject({ name: 'woman', colour: '#2f6fc8' })
    expect(marks('a woman in a red hat')).toEqual(['woman drawn', 'red missing', 'hat missing'])
  })

  it.each([
    ['A bird sleeps while a house dances', ['bird drawn', 'sleeps missing', 'house drawn', 'dances missing']],
    ['A car runs', ['car drawn', 'runs drive']],
    ['A chef cooks', ['chef drawn', 'cooks missing']],
  ])('names what a figure is not seen doing: %s', (text, expected) => {
    expect(marks(text)).toEqual(expected)
  })

  it.each([
    ['A man proposes to a woman', 'propose', 'woman'],
    ['A girl and a dog hug', 'hug', 'dog'],
    ['Two foxes fight', 'face', 'fox'],
    ['男人向女人求婚', 'propose', 'woman'],
    ['抱着猫的女孩', 'hug', 'cat'],
    ['A boy watches the horizon while a dog sleeps', undefined, undefined],
  ])('relates two subjects: %s', (text, kind, to) => {
    const relation = readPrompt(text).subjects.find(({ relation }) => relation)?.relation
    expect([relation?.kind, relation?.to]).toEqual([kind, to])
  })

  it('names a thing that could be held if no one holds it and it has no figure of its own', () => {
    expect(understand('A torch in a cave', 'en').missing).toEqual(['torch', 'cave'])
    expect(understand('A boy with a torch', 'en').missing).toEqual([])
  })

  it.each([
    ['quantum entropy', false],
    ['a quokka in a misty forest at dawn', false],
    ['a misty forest at dawn', true],
    ['a fox in a forest', true],
    ['a fox debugs a quantum mainframe', false],
    ['量子在森林里', false],
  ])('decides whether enough is drawn: %s', (text, enough) => {
    expect(understand(text, 'en').enough).toBe(enough)
  })
})
