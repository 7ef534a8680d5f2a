import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { REASONS } from '#backend/credits/contract.ts'
import { FAILURE_CODES } from '#backend/tasks/contract.ts'
import { english } from './catalogue.ts'
import type { Messages } from './core.ts'

const root = new URL('../../../content/', import.meta.url)
const files = (language: string) => readdirSync(new URL(language, root)).sort()
const read = (language: string, file: string): Messages =>
  JSON.parse(readFileSync(new URL(`${language}/${file}`, root), 'utf8'))

const leaves = (messages: Messages, path = ''): [string, string][] =>
  Object.entries(messages).flatMap(([key, value]) =>
    typeof value === 'string' ? [[path + key, value] as [string, string]] : leaves(value, `${path}${key}.`),
  )
const withoutPlural = (key: string) => key.replace(/_(one|other)$/, '')
const placeholders = (text: string) => [...new Set(text.match(/\{\{\s*\w+\s*\}\}/g) ?? [])].sort()

const catalogues = files('en').filter((file) => file.endsWith('.json'))

describe('the catalogues', () => {
  it('have the same files in both languages', () => {
    expect(files('zh')).toEqual(files('en'))
  })

  it.each(catalogues)('have the same keys and placeholders in %s', (file) => {
    const en = new Map(leaves(read('en', file)).map(([key, text]) => [withoutPlural(key), text]))
    const zh = new Map(leaves(read('zh', file)).map(([key, text]) => [withoutPlural(key), text]))
    expect([...zh.keys()].sort()).toEqual([...en.keys()].sort())
    for (const [key, text] of en) expect([key, placeholders(zh.get(key)!)]).toEqual([key, placeholders(text)])
  })
})

describe('the catalogue texts', () => {
  const contracts = ['accounts', 'apiKeys', 'tasks'].map((context) =>
    readFileSync(new URL(`../../../backend/${context}/contract.ts`, import.meta.url), 'utf8'),
  )
  const models = readFileSync(new URL('#backend/tasks/catalogue/models.contract.ts', import.meta.url), 'utf8')

  it('cover every error code of the contracts', () => {
    const found = [...contracts, models].flatMap((source) =>
      [
        ...source.matchAll(
          /(?:error: |Min\w*\(\w+, |Length\(\w+, |enum\(\w+, |literal\(\w+, |code: |, )'([a-z]+(?:_[a-z]+)+|required)'/g,
        ),
      ].map((match) => match[1]!),
    )
    expect(found.length).toBeGreaterThan(15)
    const ignored = new Set<string>(['text_to_video', 'image_to_video', 'drawn_as', ...FAILURE_CODES])
    expect(found.filter((code) => !ignored.has(code) && !(code in english.errors))).toEqual([])
  })

  it('cover every reason of a credit change', () => {
    expect(Object.keys(english.credits.reason).sort()).toEqual([...REASONS].sort())
  })

  it('cover every failure code', () => {
    expect(FAILURE_CODES.filter((code) => !(code in english.failures))).toEqual([])
  })
})
