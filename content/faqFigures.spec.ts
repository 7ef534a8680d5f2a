import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { PLANS } from '#backend/subscriptions/plans.contract.ts'
import { cellsOf } from '#backend/tasks/catalogue/models.contract.ts'
import { shippedModels } from '#backend/tasks/testing/shippedModels.ts'
import { forInstallation } from '../backend/kernel/http/site/forInstallation.ts'
import { $generation } from '../site/src/features/workspace/generation.ts'
import { catalogues } from '../site/src/i18n/catalogue.ts'
import { type Locale, translator } from '../site/src/i18n/core.ts'
import { faqFigures } from '../site/src/i18n/faqFigures.ts'

/** Returns the text of an answer as pages show it. */
const answerTo = (language: Locale, question: string): string => {
  const text = readFileSync(path.join(import.meta.dirname, language, 'faq', `${question}.md`), 'utf8')
  return faqFigures(language, translator(catalogues[language], language))(text)
}

/** Returns the list items of an answer, with the thousands separators removed. */
const listIn = (language: Locale, question: string): string[] =>
  answerTo(language, question)
    .split('\n')
    .filter((line) => line.startsWith('- '))
    .map((line) => line.replace(/(\d),(?=\d{3})/g, '$1'))

const numbersIn = (text: string): number[] => (text.match(/\d+(\.\d+)?/g) ?? []).map(Number)

describe.each([
  ['en', 'priceCents'],
  ['zh', 'priceFen'],
] as const)('FAQ answers (%s)', (language, price) => {
  it('state the price, credits and limits of each plan', () => {
    const lines = listIn(language, 'plans')
    expect(lines).toHaveLength(Object.keys(PLANS).length)
    for (const [index, plan] of Object.values(PLANS).entries()) {
      const line = lines[index]!
      if (plan[price] > 0) expect(numbersIn(line)[0]).toBe(plan[price] / 100)
      expect(numbersIn(line)).toContain(plan.credits)
      if (plan.tier !== 'free') expect(numbersIn(line)).toContain(Math.floor(plan.credits / 30))
      if (language === 'zh') expect(line).toContain(`${plan.waiting} 个排队，${plan.concurrent} 个`)
      else expect(line).toContain(`${plan.concurrent} at a time, ${plan.waiting} in the queue`)
    }
  })

  it('state the price of every video configuration and no other price', () => {
    const lines = listIn(language, 'video-cost')
    const shapes = shippedModels('demo').flatMap((model) => cellsOf(model).map((cell) => ({ name: model.id, ...cell })))
    expect(lines.map((line) => numbersIn(line)[0])).toEqual(
      [...new Set(shapes.map(({ credits }) => credits))].sort((a, b) => a - b),
    )
    for (const { name, credits, resolution, duration } of shapes) {
      const line = lines.find((one) => numbersIn(one)[0] === credits)!
      for (const said of [name, resolution, String(duration)]) expect(line).toContain(said)
    }
  })
})

it('the Chinese FAQ answer about plans states the dollars that are charged', () => {
  const answer = answerTo('zh', 'plans')
  const paid = Object.values(PLANS).filter(({ tier }) => tier !== 'free')
  expect(answer.match(/(?<=US\$)[\d.]+/g)).toEqual(paid.map(({ priceCents }) => (priceCents / 100).toFixed(2)))
})

it.each(['en', 'zh'] as const)('FAQ answers about pictures say what the form says (%s)', (language) => {
  const { rules } = JSON.parse(readFileSync(path.join(import.meta.dirname, language, 'workspace.json'), 'utf8')).image
  expect(answerTo(language, 'image-to-video').split(rules)).toHaveLength(3)
})

it.each(['en', 'zh'] as const)('the FAQ speaks of the prompt optimizer where the form has it (%s)', (language) => {
  const answer = answerTo(language, 'getting-started')
  const [on, off] = ['on', 'off'].map((optimizer) => forInstallation(answer, { optimizer }))
  expect(on).toMatch(/on by default|默认开启/)
  expect(off).not.toMatch(/on by default|默认开启/)
  expect($generation.get().promptOptimizer).toBe(true)
})

it('refuses a placeholder without a figure', () => {
  expect(() => faqFigures('en', translator(catalogues.en, 'en'))('{{gold.price}}')).toThrow('gold.price')
})
