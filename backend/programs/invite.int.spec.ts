import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../testing/freePort.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { visitor } from '../testing/testUser.ts'

/** The smallest production, whose engine nothing calls here. */
const ENV = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://kinora.test',
  MINIMAX_API_KEY: 'sk',
  MINIMAX_BASE_URL: 'http://127.0.0.1:9',
  MONTHLY_CREDITS: '40',
}
const PASSWORD = 'correct horse'
const PROGRAM = path.resolve(import.meta.dirname, 'invite.ts')

const PORT = String(await freePort())
const { api, post } = visitor(`http://localhost:${PORT}`)
let kinora: TestKinora
let stopped = false
beforeAll(async () => {
  kinora = await startTestKinora({ env: { ...ENV, PORT } })
})
afterAll(async () => {
  if (!stopped) await kinora?.stop()
  if (kinora) rmSync(kinora.dataDir, { recursive: true, force: true })
})

const invite = (...args: string[]) => inviteWith({}, ...args)
const inviteWith = (others: Record<string, string>, ...args: string[]) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const env = { ...process.env, ...ENV, DATA_DIR: kinora.dataDir, ...others }
    execFile(process.execPath, [PROGRAM, ...args], { env, timeout: 30_000 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    )
  })
const tokenOf = (stdout: string) => /^https:\/\/kinora\.test\/reset-password\?token=([\w-]+)\n$/.exec(stdout)?.[1]
const outcome = async (answer: Response) => [answer.status, ((await answer.json()) as { code?: string }).code]
const reset = (token: string | undefined, language?: string) =>
  post('/auth/reset-password', { token, new_password: PASSWORD, language })

/** Signs in and returns the answer of a call as this user. */
async function signedIn(email: string) {
  const answer = await post('/auth/login', { email, password: PASSWORD })
  expect(answer.status).toBe(200)
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  return (path: string) => fetch(api + path, { headers: { cookie } })
}

describe('production without a mail server', () => {
  it('closes registration and password mails, and says so', async () => {
    const registration = { email: 'ada@kinora.example', password: PASSWORD, username: 'Ada Ada' }
    for (const [path, body] of [
      ['/auth/register', registration],
      ['/auth/forgot-password', { email: registration.email }],
      ['/auth/resend-verification', { email: registration.email }],
      ['/auth/start', { email: registration.email }],
    ] as const)
      expect(await outcome(await post(path, body))).toEqual([403, 'registration_closed'])
    expect(await (await fetch(`${api}/status`)).json()).toMatchObject({
      registration: 'closed',
      payments: 'off',
    })
  })

  it('lets an invited person set a password once, with the free credits and the allowance', async () => {
    const invited = await invite('Person@example.com')
    expect(invited).toMatchObject({ code: 0, stderr: '' })
    const token = tokenOf(invited.stdout)
    expect((await reset(token)).status).toBe(200)
    expect(await outcome(await reset(token))).toEqual([422, 'token_invalid'])
    const call = await signedIn('person@example.com')
    expect(await (await call('/auth/me')).json()).toMatchObject({ email: 'person@example.com', username: 'person' })
    await expect
      .poll(async () => await (await call('/subscriptions/stats')).json())
      .toMatchObject({
        current_tier: 'ultimate',
        remaining_credits: 100,
        next_reset_date: expect.stringMatching(/-01T00:00:00.000Z$/),
      })
    // No mail waits for a server that will never come.
    expect((await kinora.context.pool.query('select from outbox')).rowCount).toBe(0)
  })

  it('finds the account on a second invitation, whose link replaces the first', async () => {
    const [first, second] = [await invite('grace@example.com'), await invite('GRACE+film@example.com')]
    expect(await outcome(await reset(tokenOf(first.stdout)))).toEqual([422, 'token_invalid'])
    expect((await reset(tokenOf(second.stdout))).status).toBe(200)
    await signedIn('grace@example.com')
    const users = await kinora.context.pool.query(`select from user_account where identity = 'grace@example.com'`)
    expect(users.rowCount).toBe(1)
    // Until the link is used, the account stays as it is.
    await invite('grace@example.com')
    await signedIn('grace@example.com')
    const actions = await kinora.context.pool.query(`select from operator_action where action = 'user_invited'`)
    expect(actions.rowCount).toBe(4)
  })

  it('gives an account the language of the page that sets its first password', async () => {
    const invited = async (page: string) => {
      await reset(tokenOf((await invite('lin@example.com')).stdout), page)
      const user = await (await signedIn('lin@example.com'))('/auth/me')
      return ((await user.json()) as { language: string }).language
    }
    expect([await invited('zh'), await invited('en')]).toEqual(['zh', 'zh'])
  })

  it.each(['', 'person', 'a@b.test c@d.test'])('refuses the arguments "%s" with a reason', async (text) => {
    const args = text.split(' ').filter(Boolean)
    expect(await invite(...args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('npm run -s invite -- person@example.com'),
    })
  })

  it.each([
    [{ ENCRYPTION_KEY: '0123456789abcdef'.repeat(4) }, /^ENCRYPTION_KEY is not the key of this database.*\n$/],
    [{ EVENTSTORE_URL: 'esdb://127.0.0.1:9?tls=false' }, /^EventStoreDB does not answer \(.*\)\n$/],
  ])('ends with the reason and without a stack trace with %j', async (env, reason) => {
    const refused = await inviteWith(env, 'person@example.com')
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(reason) })
  })

  it('gives an account that was never verified the invited address, whichever spelling a stranger registered', async () => {
    const { pool } = kinora.context
    await pool.query(
      `insert into user_account (id, email, identity, full_name, language, password_hash, created_at)
       values (gen_random_uuid(), 'wei+stranger@example.com', 'wei@example.com', 'Stranger', 'en', 'x', now())`,
    )
    expect(tokenOf((await invite('wei@example.com')).stdout)).toBeDefined()
    const { rows } = await pool.query(`select email, full_name from user_account where identity = 'wei@example.com'`)
    expect(rows).toEqual([{ email: 'wei@example.com', full_name: 'wei' }])
  })

  it('answers payments_off to calls about plans', async () => {
    const token = tokenOf((await invite('tom@example.com')).stdout)
    await reset(token)
    const call = await signedIn('tom@example.com')
    expect(await outcome(await call('/subscriptions/plans'))).toEqual([403, 'payments_off'])
    expect((await call('/subscriptions/current')).status).toBe(404)
    expect((await fetch(`http://localhost:${PORT}/webhooks/paypal`, { method: 'POST' })).status).toBe(404)
  })

  it('invites while the server is stopped', async () => {
    await kinora.stop()
    stopped = true
    const invited = await invite('late@example.com')
    expect(invited).toMatchObject({ code: 0, stderr: '' })
    expect(tokenOf(invited.stdout)).toBeDefined()
  })
})
