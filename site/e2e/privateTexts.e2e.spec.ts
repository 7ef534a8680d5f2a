import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { forInstallation } from '#backend/kernel/http/site/forInstallation.ts'
import { builtFile, builtPages } from './testing/builtPages.ts'

const OFFERS =
  /PayPal|(free|paid) plan|standard plan|pricing|subscri|2 free generations|60 free credits|套餐|价格|免费版|订阅|免费生成/gi
/** These say that there are none, or name a section that does. */
const HONEST = /This site has no plans|本站没有套餐|Plans and payment|套餐与付款|套餐与支付|套餐与账单/g

/** Returns what the page shows or tells search engines where there are neither plans nor registration. */
function textsOf(address: string): string {
  const html = forInstallation(readFileSync(builtFile(address), 'utf8'), { plans: 'off', registration: 'closed' })
  if (html.includes('<!--gone-->')) return ''
  const described = [...html.matchAll(/ content="([^"]*)"/g)].map(([, text]) => text)
  const shown = html.replace(/<(script|style)\b[\s\S]*?<\/\1>/g, '').replace(/<[^>]+>/g, ' ')
  return [...described, shown].join(' ').replace(HONEST, '')
}

it('offers neither plans nor free credits on any page of an installation without them', () => {
  // The docs are for operators, who may add plans.
  const pages = builtPages().filter((address) => !/^(\/zh)?\/docs\//.test(address))
  const offers = pages.map((address) => [address, textsOf(address).match(OFFERS) ?? []] as const)
  expect(offers.length).toBeGreaterThan(50)
  expect(offers.filter(([, found]) => found.length > 0)).toEqual([])
})
