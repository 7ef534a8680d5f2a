import { describe, expect, it } from 'vitest'
import { localeOf, localizedPath, lookup, merge, translator } from './core.ts'

describe('translator', () => {
  const messages = {
    greet: 'Hello {{name}}',
    task_one: '{{count}} task',
    task_other: '{{count}} tasks',
    nested: { a: 'A' },
  }
  const t = translator(messages, 'en')

  it('fills variables and keeps unknown placeholders visible', () => {
    expect(t('greet', { name: '$& Bo' })).toBe('Hello $& Bo')
    expect(t('greet')).toBe('Hello {{name}}')
  })

  it('selects the plural form of the language', () => {
    expect(t('task', { count: 1 })).toBe('1 task')
    expect(t('task', { count: 0 })).toBe('0 tasks')
    expect(translator({ task_other: '{{count}} 个任务' }, 'zh')('task', { count: 1 })).toBe('1 个任务')
  })

  it('writes numbers as the language does, and strings as they are', () => {
    expect(t('task', { count: 15_000 })).toBe('15,000 tasks')
    expect(t('greet', { name: '15000' })).toBe('Hello 15000')
  })

  it('returns the key of a missing text', () => {
    expect(t('nested.b')).toBe('nested.b')
    expect(lookup(messages, 'toString')).toBeUndefined()
  })
})

describe('merge', () => {
  it('falls back to English for a missing translation', () => {
    expect(merge({ a: 'A', b: { c: 'C', d: 'D' } }, { b: { c: '丙' } })).toEqual({ a: 'A', b: { c: '丙', d: 'D' } })
  })
})

describe('localizedPath', () => {
  it.each([
    ['/', 'zh', '/zh'],
    ['/', 'en', '/'],
    ['/#pricing-section', 'zh', '/zh#pricing-section'],
    ['/?section=pricing', 'zh', '/zh?section=pricing'],
    ['/workspace', 'zh', '/zh/workspace'],
    ['/zh/workspace?a=1', 'en', '/workspace?a=1'],
    ['/zh', 'en', '/'],
    ['/zh', 'zh', '/zh'],
    ['/zhang', 'en', '/zhang'],
  ] as const)('puts %s in %s at %s', (path, locale, expected) => {
    expect(localizedPath(path, locale)).toBe(expected)
  })
})

describe('localeOf', () => {
  it('reads unknown languages as English', () => {
    expect(['zh-CN', 'zh_TW', 'fr', '', null, undefined].map(localeOf)).toEqual(['zh', 'zh', 'en', 'en', 'en', 'en'])
  })
})
