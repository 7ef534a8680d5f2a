import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { FULL } from '../testing/fullRun.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import type { TestUser } from '../testing/testUser.ts'

const BODIES = FULL ? 10_000 : 400
const SEED = 20_261_121
const AT_ONCE = 16

let kinora: TestKinora
let user: TestUser
beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
  user = await kinora.newUser()
})
afterAll(() => kinora.close())

const CALLS = [
  ['POST', '/auth/register'],
  ['POST', '/auth/login'],
  ['POST', '/auth/verify-email'],
  ['POST', '/auth/resend-verification'],
  ['POST', '/auth/forgot-password'],
  ['POST', '/auth/reset-password'],
  ['POST', '/auth/refresh'],
  ['POST', '/auth/logout'],
  ['PUT', '/users/language'],
  ['PUT', '/users/name'],
  ['PUT', '/users/password'],
  ['POST', '/users/delete'],
  ['DELETE', '/users/sessions/'],
] as const

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '\u0000',
    '\ud800',
    "' or 1=1 --",
    '{{7*7}}',
    '../../etc/passwd',
    'ｐａｓｓ',
    '‮',
    'a'.repeat(5_000),
  ),
)
const value = fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) })
const email = fc.oneof(
  value,
  fc.emailAddress(),
  text.map((local) => `${local}@kinora.test`),
  fc.constantFrom('a@b@c.test', 'a@.test', 'ä@ö.test', '@kinora.test', '+x@kinora.test'),
)
const password = fc.oneof(value, fc.string({ unit: 'grapheme', minLength: 8, maxLength: 300 }))
const fields = fc.record(
  {
    email,
    password,
    new_password: password,
    current_password: password,
    username: value,
    language: fc.oneof(value, fc.constantFrom('en', 'zh')),
    token: value,
    __proto__: value,
  },
  { requiredKeys: [] },
)
/** Bodies with one invalid field. The others are valid, so that validation reaches it. */
const almostRight = fc
  .record({
    name: fc.constantFrom('email', 'password', 'new_password', 'username', 'language', 'token'),
    fault: fc.oneof(
      text,
      fc.constantFrom('nul\u0000nul@kinora.test', 'lone\ud800\udfff\ud800@kinora.test', '‮kinora‮@kinora.test'),
    ),
    number: fc.nat(),
  })
  .map(({ name, fault, number }) => ({
    email: `fuzz${number}@kinora.test`,
    password: 'nobody has this horse',
    new_password: 'a better horse',
    current_password: 'a wrong horse',
    username: 'Ada Lovelace',
    language: 'en',
    token: 'none',
    [name]: fault,
  }))
const attempt = fc.record({
  call: fc.constantFrom(...CALLS),
  body: fc.oneof(
    { weight: 4, arbitrary: almostRight.map((object) => JSON.stringify(object)) },
    { weight: 3, arbitrary: fields.map((object) => JSON.stringify(object)) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: text },
  ),
  type: fc.oneof(
    { weight: 8, arbitrary: fc.constant('application/json') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-7'),
    },
  ),
  signedIn: fc.boolean(),
  cookie: fc.oneof(fc.constant(''), fc.base64String()),
  id: text,
})
type Attempt = typeof attempt extends fc.Arbitrary<infer T> ? T : never

/** Returns the request and response if the response is a server error or leaks internals. */
async function faultOf({
  call: [method, path],
  body,
  type,
  signedIn,
  cookie,
  id,
}: Attempt): Promise<string | undefined> {
  const address = path.endsWith('/') ? path + encodeURIComponent(id.toWellFormed()) : path
  // The other requests need the session, so it is not ended.
  const own = signedIn && !/logout|refresh/.test(path)
  const answer = await fetch(kinora.api + address, {
    method,
    headers: { 'content-type': type, cookie: own ? user.cookie : `kinora_access=${cookie}; kinora_refresh=${cookie}` },
    ...(method === 'DELETE' ? {} : { body }),
  })
  const said = await answer.text()
  const leaks = /\n\s+at |node_modules|\.ts:\d|syntax error|violates|select |insert into/i.exec(said)?.[0]
  if (answer.status < 500 && !leaks) return undefined
  return `${method} ${address} ${body.slice(0, 300)} → ${answer.status} ${said.slice(0, 300)}`
}

describe(`${BODIES} fuzzed requests to account endpoints`, () => {
  it('cause no server error and leak no internals', { timeout: 900_000 }, async () => {
    const attempts = fc.sample(attempt, { numRuns: BODIES, seed: SEED })
    const faults: string[] = []
    const next = attempts.values()
    const work = async () => {
      for (const each of next) {
        const fault = await faultOf(each)
        if (fault) faults.push(fault)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    expect(faults).toEqual([])
    expect((await user.call('GET', '/auth/me')).status).toBe(200)
  })
})
