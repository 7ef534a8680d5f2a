import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { PLANS } from '#backend/subscriptions/plans.contract.ts'
import { cellsOf } from '#backend/tasks/catalogue/models.contract.ts'
import { shippedModels } from '#backend/tasks/testing/shippedModels.ts'

/** Returns the list items of an answer, with the thousands separators removed. */
const listIn = (language: string, question: string): string[] =>
  readFileSync(path.join(import.meta.dirname, language, 'faq', `${question}.md`), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('- '))
    .map((line) => line.replace(/(\d),(?=\d{3})/g, '$1'))

const WORDS = ['no', 'one', 'two', 'three', 'four', 'five']

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
      else
        expect(line).toMatch(
          new RegExp(`${WORDS[plan.concurrent]} .*at a time, ${WORDS[plan.waiting]} in the queue`, 'i'),
        )
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
  const answer = readFileSync(path.join(import.meta.dirname, 'zh/faq/plans.md'), 'utf8')
  const paid = Object.values(PLANS).filter(({ tier }) => tier !== 'free')
  expect(answer.match(/[\d.]+(?= 美元)/g)).toEqual(paid.map(({ priceCents }) => (priceCents / 100).toFixed(2)))
})
