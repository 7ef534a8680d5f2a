import { TOTP } from 'otpauth'
import type { Attacker } from './attacker.ts'
import { mailedToken } from './races.ts'
import { type Account, OPERATOR } from './target.ts'
import { makeWork } from './work.ts'

const codeOf = (secret: string, stepsAhead = 0) =>
  TOTP.generate({ secret: new TOTP({ secret }).secret, timestamp: Date.now() + stepsAhead * 30_000 })

/** Uses operations that need the answer of another one, so that each is reached behind its first refusal, too. */
export async function walk(attacker: Attacker): Promise<string> {
  const email = 'walker@kinora.test'
  const password = 'a better horse'
  const post = (path: string, body: unknown, as?: Account, cookie?: string) =>
    attacker.call('POST', path, as, body, cookie === undefined ? {} : { cookie })
  await post('/auth/register', { email, password, username: 'Walker' })
  await post('/auth/verify-email', { token: await mailedToken(attacker, email) })
  await post('/auth/login', { email, password })
  await post('/auth/forgot-password', { email })
  await post('/auth/reset-password', { token: await mailedToken(attacker, email, 2), new_password: `${password}s` })

  const as = await attacker.target.newAccount()
  const [taskId, imageId] = await makeWork(attacker, as)
  const get = (path: string) => attacker.call('GET', path, as)
  for (const path of ['tasks', 'preview', 'thumbnail', 'download']) await get(`/videos/${path}/${taskId}`)
  await get(`/videos/images/${imageId}`)
  await post(`/videos/tasks/${taskId}/unlabelled`, { accepted: true }, as)
  await attacker.call('DELETE', `/videos/tasks/${taskId}`, as)
  const [another] = await makeWork(attacker, as)
  await attacker.call('DELETE', `/videos/task/${another}`, as)

  const { data } = (await post('/subscriptions/upgrade', { new_tier: 'pro' }, as)).json() as Upgrade
  await attacker.send({ method: 'POST', path: `/../../dev/paypal/${data.subscription_id}/approve`, as })
  await post('/subscriptions/confirm', { subscription_id: data.subscription_id }, as)
  await get('/subscriptions/current')
  await post('/subscriptions/cancel', {}, as)
  await post('/subscriptions/reactivate', undefined, as)

  await factors(attacker, '/users', as, as.cookie, as.password)
  const login = await post('/auth/login', { email: as.email, password: as.password })
  const { ticket } = login.json() as { ticket: string }
  await post('/auth/second-factor', { ticket, code: '000000' })
  return 'operations that depend on others'
}

/** Sets up an authenticator app of the operator, whose later sign-ins need it. */
export async function walkAsOperator(attacker: Attacker): Promise<string> {
  await attacker.call('POST', '/analytics/login', undefined, OPERATOR)
  await factors(attacker, '/analytics', undefined, await attacker.target.newOperator(), OPERATOR.password)
  return 'the second factor of the operator'
}

async function factors(attacker: Attacker, prefix: string, as: Account | undefined, cookie: string, password: string) {
  const post = (path: string, body?: unknown) => attacker.call('POST', prefix + path, as, body, { cookie })
  const { secret } = (await post('/totp', { password })).json() as { secret: string }
  const confirmed = (await post('/totp/confirm', { code: codeOf(secret, -1) })).json() as Codes
  await post('/step-up', { code: confirmed.recovery_codes[0] })
  await attacker.call('GET', `${prefix}/step-up`, as, undefined, { cookie })
  await post('/recovery-codes')
  await post('/passkeys/options', { password })
  if (prefix === '/analytics')
    await attacker.send({ method: 'GET', path: '/analytics/tables/users.csv', headers: { cookie }, isOperator: true })
  await attacker.call('DELETE', `${prefix}/totp`, as, undefined, { cookie })
  // On again, for what follows.
  const { secret: next } = (await post('/totp', { password })).json() as { secret: string }
  await post('/totp/confirm', { code: codeOf(next) })
}

interface Upgrade {
  readonly data: { readonly subscription_id: string }
}
interface Codes {
  readonly recovery_codes: readonly string[]
}
