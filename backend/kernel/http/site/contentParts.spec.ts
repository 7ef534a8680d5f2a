import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { forInstallation } from './forInstallation.ts'

const CONTENT = path.join(import.meta.dirname, '../../../../content')
const ON = { plans: 'on', registration: 'open' }
const OFF = { plans: 'off', registration: 'closed' }
const PLANS =
  /PayPal|(free|paid) plan|standard plan|subscri|watermark again|套餐|免费版|订阅|2 free generations|免费生成/i

/** Texts of pages that everyone reads, without the questions that are about plans as a whole. */
const texts = ['en', 'zh'].flatMap((locale) => {
  const read = (file: string) => [`${locale}/${file}`, readFileSync(path.join(CONTENT, locale, file), 'utf8')] as const
  const faq = readdirSync(path.join(CONTENT, locale, 'faq'))
    .filter((name) => !/^only: plans=on$/m.test(readFileSync(path.join(CONTENT, 'en/faq', name), 'utf8')))
    .map((name) => read(`faq/${name}`))
  const metas = ['faq', 'legal', 'landing'].map((name) => {
    const [file, json] = read(`${name}.json`)
    return [file, (json.match(/"metaDescription": .*/g) ?? []).join('\n')] as const
  })
  return [...faq, ...metas, read('legal/privacy-policy.md'), read('legal/terms-of-service.md')]
})

describe('public texts', () => {
  it.each(texts)('of %s name no plans, payments or free registration where there are none', (file, text) => {
    const shown = forInstallation(text, OFF)
    // Both languages say that there are no plans.
    expect(shown.replace(/This site has no plans|本站没有套餐|^category: .*$|^## .*$/gm, '')).not.toMatch(PLANS)
    expect(shown, `${file} has unbalanced parts`).not.toMatch(/<!--(if|else|end)/)
  })

  it('name plans and PayPal where there are some', () => {
    const shown = texts.map(([, text]) => forInstallation(text, ON)).join('\n')
    for (const word of ['PayPal', 'paid plan', '付费套餐', '2 free generations']) expect(shown).toContain(word)
  })
})
