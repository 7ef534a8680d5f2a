import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'

const OPERATOR = { username: 'olga', password: 'a password for olga' }
const STEP_MS = 30_000

let kinora: TestKinora
beforeAll(async () => {
  const env = { OPERATOR_USERNAME: OPERATOR.username, OPERATOR_PASSWORD: OPERATOR.password }
  kinora = await startTestKinora({ provider: await createProviderDouble(), env })
})
afterAll(() => kinora.close())

const cookieOf = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
const json = async <T>(answer: Response | Promise<Response>) => (await (await answer).json()) as T
const outcome = async (answer: Response) => [answer.status, ((await answer.json()) as { code?: string }).code]
const query = (sql: string) => kinora.context.pool.query(sql)
const codeOf = (secret: string, stepsAhead = 0) =>
  TOTP.generate({ secret: new TOTP({ secret }).secret, timestamp: Date.now() + stepsAhead * STEP_MS })

describe('the operator’s second factor', () => {
  let secret: string
  let recovery: string[]
  let headers: Record<string, string>
  const get = (path: string) => fetch(`${kinora.api}/analytics${path}`, { headers })
  const signIn = () => kinora.post('/analytics/login', OPERATOR)
  const ticket = async () => (await json<{ ticket: string }>(signIn())).ticket
  const finish = (sent: string, code: string) => kinora.post('/analytics/second-factor', { ticket: sent, code })

  it('is optional: without one, sign-in and exports are unchanged', async () => {
    const answer = await signIn()
    expect(answer.status).toBe(200)
    headers = { cookie: cookieOf(answer) }
    expect((await get('/tables/users.csv')).status).toBe(200)
    expect(await json(get('/factors'))).toEqual({ passkeys: [], totp: false, recovery_codes: 0, missing: false })
  })

  it('is set up with the password', async () => {
    const begin = (password: string) => kinora.post('/analytics/totp', { password }, headers)
    expect((await begin('not mine')).status).toBe(422)
    ;({ secret } = await json<{ secret: string }>(begin(OPERATOR.password)))
    const confirmed = kinora.post('/analytics/totp/confirm', { code: codeOf(secret, -1) }, headers)
    ;({ recovery_codes: recovery } = await json<{ recovery_codes: string[] }>(confirmed))
    expect(recovery).toHaveLength(10)
  })

  it('is required to sign in, with a ticket of the operator’s own', async () => {
    expect(await outcome(await signIn())).toEqual([401, 'second_factor_required'])
    const user = await kinora.newUser()
    expect(await outcome(await finish(`${user.userId}.1.x`, codeOf(secret)))).toEqual([401, 'ticket_invalid'])
    const sent = await ticket()
    expect((await finish(sent, '000000')).status).toBe(422)
    const done = await finish(sent, codeOf(secret))
    expect([done.status, await json(done)]).toEqual([200, { success: true, message: 'Signed in.' }])
    headers = { cookie: cookieOf(done) }
    expect((await get('/overview')).status).toBe(200)
  })

  it('is required again to export addresses, to price a model and to add a passkey after ten minutes', async () => {
    expect((await get('/tables/users.csv')).status).toBe(200)
    await query(`update operator_session set stepped_up_at = now() - interval '11 minutes'`)
    expect(await outcome(await get('/tables/users.csv'))).toEqual([403, 'step_up_required'])
    expect(await outcome(await get('/tables/visits.csv'))).toEqual([403, 'step_up_required'])
    const price = { model: 'any', prices: [{ credits: 1, cents: 0 }] }
    const priced = await fetch(`${kinora.api}/analytics/engines/price`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(price),
    })
    expect(await outcome(priced)).toEqual([403, 'step_up_required'])
    const addition = await kinora.post('/analytics/passkeys/options', { password: OPERATOR.password }, headers)
    expect(await outcome(addition)).toEqual([403, 'step_up_required'])
    expect((await get('/tables/days.csv')).status).toBe(200)
    expect((await get('/step-up')).status).toBe(403)
    expect((await kinora.post('/analytics/step-up', { code: recovery[0] }, headers)).status).toBe(200)
    expect((await get('/step-up')).status).toBe(204)
    expect((await get('/tables/users.csv')).status).toBe(200)
  })

  it('limits wrong codes', async () => {
    const sent = await ticket()
    const statuses = []
    for (let guess = 0; guess < 6; guess++) statuses.push((await finish(sent, `${200_000 + guess}`)).status)
    expect(statuses.at(-1)).toBe(429)
    await query('delete from throttle')
  })

  it('does not call a passkey refused that could not be looked up', async () => {
    const signInWithPasskey = async () =>
      outcome(await kinora.post('/analytics/passkey', { credential: { id: 'unknown' } }))
    await query('alter table passkey rename to passkey_away')
    const meanwhile = await signInWithPasskey()
    await query('alter table passkey_away rename to passkey')
    expect([meanwhile, await signInWithPasskey()]).toEqual([
      [500, 'internal'],
      [422, 'passkey_refused'],
    ])
  })

  it('is turned off after a step-up, and every change is an operator action', async () => {
    const remove = await fetch(`${kinora.api}/analytics/totp`, { method: 'DELETE', headers })
    expect(remove.status).toBe(204)
    expect((await signIn()).status).toBe(200)
    const { rows } = await query('select distinct action from operator_action order by 1')
    expect(rows.map(({ action }) => action)).toEqual([
      'exported',
      'recovery_code_used',
      'second_factor_added',
      'second_factor_refused',
      'second_factor_removed',
      'signed_in',
    ])
  })

  it('cannot be managed by users', async () => {
    const user = await kinora.newUser()
    for (const path of ['/factors', '/step-up']) expect((await user.call('GET', `/analytics${path}`)).status).toBe(401)
    expect((await user.call('POST', '/analytics/totp', { password: OPERATOR.password })).status).toBe(401)
  })
})
