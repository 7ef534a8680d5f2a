import { describe, expect, it } from 'vitest'
import { FRESH_PROMPTS, faultsOf, readFreshPrompts, STRANGERS_PROMPTS } from './freshPrompts.ts'

const own = readFreshPrompts(FRESH_PROMPTS)
const strangers = readFreshPrompts(STRANGERS_PROMPTS)
const prompts = { en: [...own.en, ...strangers.en], zh: [...own.zh, ...strangers.zh] }

describe.each(['en', 'zh'] as const)('fresh prompts in %s', (language) => {
  it.each(prompts[language])('reads every noun and verb, and adds no subject: $prompt', (fresh) => {
    expect(faultsOf(fresh, language)).toEqual([])
  })
})

it('finds words in no list, halves of words, and subjects that no one asked for', () => {
  expect(faultsOf({ prompt: 'a fox of the moon and the мир', nouns: ['moon', 'мир'], verbs: [] }, 'en')).toEqual([
    'мир is in no list',
    'fox was not asked for',
  ])
  expect(faultsOf({ prompt: '大理石台面', nouns: ['理石台'], verbs: [] }, 'zh')).toEqual(['half of 理石台 is missing'])
})
