import { describe, expect, it } from 'vitest'
import { readingOf, relatedTo, textOf } from './faqRules.ts'

describe('readingOf', () => {
  it('counts words, or characters in Chinese', () => {
    expect(readingOf('It takes – at most – 2,000 “big” words.', 'en').words).toBe(7)
    expect(readingOf('最多 2000 个字符，MiniMax-Hailuo-02，1080P。', 'zh').words).toBe(8)
  })

  it('rounds up to at least one minute', () => {
    expect([readingOf('', 'en'), readingOf('word '.repeat(460), 'en'), readingOf('字'.repeat(1000), 'zh')]).toEqual([
      { words: 0, minutes: 1 },
      { words: 460, minutes: 2 },
      { words: 1000, minutes: 3 },
    ])
  })

  it('ignores HTML tags', () => {
    expect(textOf('<p>Trucks &amp; <b>pans</b></p>\n<ul><li>one</li></ul>')).toBe('Trucks & pans one')
  })
})

describe('relatedTo', () => {
  const entry = (slug: string, category: string, tags: string[], priority: number) => ({
    slug,
    category,
    tags,
    priority,
  })
  const all = [
    entry('a', 'basic', ['credits'], 1),
    entry('b', 'basic', ['camera'], 2),
    entry('c', 'plans', ['credits', 'refund'], 3),
    entry('d', 'plans', ['credits', 'refund'], 4),
    entry('e', 'help', [], 5),
  ]

  it('prefers shared tags and category, then priority', () => {
    expect(relatedTo(all[2]!, all).map(({ slug }) => slug)).toEqual(['d', 'a', 'b'])
    expect(relatedTo(all[4]!, all).map(({ slug }) => slug)).toEqual(['a', 'b', 'c'])
  })
})
