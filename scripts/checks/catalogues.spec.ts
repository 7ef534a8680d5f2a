import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { astroImportFaults } from './astroImports.mjs'
import { catalogueFaults } from './catalogues.mjs'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-texts-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(file: string, content: unknown): void {
  const target = path.join(folder, file)
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, typeof content === 'string' ? content : JSON.stringify(content))
}

function faultsOf(en: object, zh: object): string[] {
  write('en/texts.json', en)
  write('zh/texts.json', zh)
  return catalogueFaults(folder)
}

describe('the catalogue check', () => {
  it('accepts equal catalogues, names, units, addresses and plurals of either language', () => {
    const en = { a: 'See {{url}}', credits_one: '{{count}} credit', credits_other: '{{count}} credits', size: '20MB' }
    const zh = { a: '见 {{url}}', credits_other: '{{count}} 积分', size: 'Kinora 与 MiniMax：1080P，20MB，a@b.cn' }
    expect(faultsOf(en, zh)).toEqual([])
  })

  it.each([
    ['a missing key', { a: 'A', b: 'B' }, { a: '甲' }, 'texts.json: b: is missing in zh'],
    ['a superfluous key', { a: 'A' }, { a: '甲', b: '乙' }, 'texts.json: b: is missing in en'],
    ['other placeholders', { a: 'A {{name}}' }, { a: '甲 {{nom}}' }, 'texts.json: a: the placeholders differ'],
    [
      'a plural without a singular',
      { a: '{{count}} credits' },
      { a: '{{count}} 积分' },
      'texts.json: a: has no singular form',
    ],
    ['Chinese in English', { a: 'Video 视频' }, { a: '视频' }, 'texts.json: a: Chinese in English: Video 视频'],
    ['English in Chinese', { a: 'Video' }, { a: '我的 video' }, 'texts.json: a: English in Chinese: video'],
  ])('reports %s', (_, en, zh, fault) => {
    expect(faultsOf(en, zh)).toEqual([fault])
  })

  it('reports a file that only one language has, and words of the other language', () => {
    write('en/legal/terms.md', 'The terms 条款 of [use](https://kinora.example)')
    write('zh/legal/terms.md', '使用条款 terms')
    write('en/legal/privacy.md', 'Privacy')
    expect(catalogueFaults(folder)).toEqual([
      'legal/privacy.md: is missing in zh',
      'legal/terms.md: text: Chinese in English',
      'legal/terms.md: text: English in Chinese: terms',
    ])
  })
})

describe('the catalogue check of markdown', () => {
  const entry = (question: string, rest = '', body = 'Text') => `---\nquestion: ${question}\n${rest}---\n\n${body}\n`
  const faultsOfText = (en: string, zh: string) => {
    write('en/faq/a.md', en)
    write('zh/faq/a.md', zh)
    return catalogueFaults(folder).map((fault) => fault.replace('faq/a.md: ', ''))
  }

  it('checks front matter as text, except facts, which only the English file has', () => {
    expect(faultsOfText(entry('Why?', 'priority: 1\nupdated: 2026-01-01\n'), entry('为什么？', '', '文字'))).toEqual([])
  })

  it.each([
    ['a missing text', entry('Why?', 'tags: [price]\n'), entry('为什么？', '', '文字'), 'tags: is missing in zh'],
    ['English in Chinese', entry('Why?'), entry('why？', '', '文字'), 'question: English in Chinese: why'],
    ['Chinese in English', entry('Why 何?'), entry('为什么？', '', '文字'), 'question: Chinese in English'],
    [
      'another shape',
      entry('Why?', '', '## A\n\n- b'),
      entry('为什么？', '', '## 甲'),
      'text: the headings or lists differ',
    ],
  ])('reports %s', (_, en, zh, fault) => {
    expect(faultsOfText(en, zh)).toEqual([fault])
  })
})

describe('the check of imports in .astro files', () => {
  it('accepts contracts, content and the site itself, and rejects everything else', () => {
    write(
      'site/src/pages/index.astro',
      [
        "import Base from '../layouts/Base.astro'",
        "import en from '#content/en/common.json'",
        "import { PLANS } from '#backend/subscriptions/contract.ts'",
        "import { API_BASE } from '#backend/kernel/http/contract.ts'",
        "import { readCredits } from '#projections/credits/readCredits.ts'",
        "const app = await import('../../../backend/app/httpApp.ts')",
      ].join('\n'),
    )
    expect(astroImportFaults(folder).map((fault) => fault.split(' → ')[1])).toEqual([
      '#projections/credits/readCredits.ts',
      '../../../backend/app/httpApp.ts',
    ])
  })

  it('keeps features apart, and shared parts free of features', () => {
    write('site/src/features/landing/Plans.astro', "import './plans.css'\nimport '../shell/header.ts'")
    write('site/src/ui/Logo.astro', "import './Icon.astro'\nimport '../layouts/Base.astro'")
    write('site/src/layouts/Base.astro', "import '../features/shell/header.ts'")
    expect(astroImportFaults(folder).sort()).toEqual([
      'a feature imports no other feature: site/src/features/landing/Plans.astro → ../shell/header.ts',
      'shared parts of the site import no feature: site/src/ui/Logo.astro → ../layouts/Base.astro',
    ])
  })
})
