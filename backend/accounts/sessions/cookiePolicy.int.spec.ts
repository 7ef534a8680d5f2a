import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describedOperations } from '#proof/attack/describedOperations.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora()
})
afterAll(() => kinora.close())

const UNITS = new Map([
  [/minute|分钟/, 60],
  [/hour|小时/, 3_600],
  [/day|天/, 86_400],
  [/year|年/, 365 * 86_400],
])

/** Returns the lifetimes of the cookies in the table of the privacy policy, in seconds. */
function statedLifetimes(language: string): number[] {
  const file = path.join(import.meta.dirname, '../../../content', language, 'legal/privacy-policy.md')
  const rows = readFileSync(file, 'utf8').matchAll(/^\| [^|]+\| cookie +\| [^|]+\| (\d+) ?([^|]+)\|$/gim)
  return [...rows].map(([, count, unit]) => Number(count) * [...UNITS].find(([name]) => name.test(unit!))![1])
}

/** Returns the lifetimes of the cookies that an answer sets, in seconds. */
const lifetimesIn = (answer: Response) =>
  answer.headers.getSetCookie().map((line): [string, number] => {
    const [, name, expires] = /^([^=]+)=.*; expires=([^;]+)/.exec(line)!
    return [name!, Math.round((Date.parse(expires!) - Date.parse(answer.headers.get('date')!)) / 60_000) * 60]
  })

describe('the cookies of the privacy policy', () => {
  it.each(['en', 'zh'])('are those that the server sets, with their lifetimes (%s)', async (language) => {
    const user = await kinora.newUser()
    const set = new Map([
      ...lifetimesIn(await kinora.post('/auth/login', { email: user.email, password: 'correct horse' })),
      ...lifetimesIn(await kinora.post('/users/passkeys/challenge', undefined)),
      ...lifetimesIn(await kinora.post('/auth/start', { email: `asking.${language}@kinora.test` })),
    ])
    expect(statedLifetimes(language)).toEqual([...set.values()])
    expect([...set.keys()].map((name) => name.replace('kinora_', ''))).toEqual(
      'access refresh signed_in device challenge start'.split(' '),
    )
  })

  it('are set for no visitor who only reads', async () => {
    const sitemap = await (await fetch(`${kinora.url}/sitemap-0.xml`)).text()
    const pages = [...sitemap.matchAll(/<loc>([^<]+)/g)].map(([, address]) => new URL(address!).pathname)
    expect(pages).toEqual(expect.arrayContaining(['/', '/zh', '/faq', '/privacy']))
    const reads = (await describedOperations(kinora.api)).filter(
      ({ method, access }) => method === 'GET' && access === 'public',
    )
    const paths = [...pages, ...reads.map(({ path }) => `/api/v1${path.replaceAll(/\{\w+\}/g, 'x')}`)]
    const answers = await Promise.all(paths.map((each) => fetch(kinora.url + each, { redirect: 'manual' })))
    const visit = await kinora.post('/analytics/page-view', { path: '/', session_id: 'one' })
    expect(
      [...answers, visit].filter(({ headers }) => headers.getSetCookie().length > 0).map(({ url }) => url),
    ).toEqual([])
  })
})
