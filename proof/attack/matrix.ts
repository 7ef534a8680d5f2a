import { TOTP } from 'otpauth'
import { seeded } from '#backend/testing/seeded.ts'
import type { Answer, Attacker } from './attacker.ts'
import type { DescribedOperation, Schema } from './describedOperations.ts'
import { validObject } from './generate.ts'
import type { Account } from './target.ts'
import { makeWork } from './work.ts'

/** Statuses by which an operation may refuse ids of another user. A 204 for an id that ends nothing is none of them. */
const REFUSED = new Set([400, 401, 403, 404, 409, 415, 422])
const EVIL = { origin: 'https://evil.example' }

const FIELDS = new Map<string, readonly unknown[]>([
  ['task_type', ['text_to_video']],
  ['model', ['MiniMax-Hailuo-02']],
  ['resolution', ['768P']],
  ['prompt', ['a green hill']],
  ['email', ['someone@kinora.test']],
  ['password', ['not the password']],
  ['current_password', ['not the password']],
  ['path', ['/works']],
  ['code', ['000000']],
  ['scopes', [['videos:read']]],
  ['overlap_hours', [1]],
  ['expires_in_days', [30]],
  // No caller is in a team.
  ['team_id', [undefined]],
  ['visibility', ['private']],
  ['credits_per_day', [10]],
  ['credits_per_month', [100]],
  ['models', [['MiniMax-Hailuo-02']]],
  ['networks', [['192.0.2.0/24']]],
  ['label', ['Fair']],
  ['credits', [10]],
  ['kind', ['send_reset']],
  ['engine', ['videos-api']],
  // An optional URL of an engine, or an optional email address of a person.
  ['address', [undefined]],
  ['dry_run', [false]],
  ['subject', ['00000000-0000-4000-8000-000000000000']],
  ['reason', ['a remedy']],
  ['text', ['a note']],
  ['q', ['someone']],
  ['role', ['viewer']],
  ['name', ['Someone']],
  // Of a graph.
  ['id', ['0190a000-0000-7000-8000-000000000000']],
  ['fps', [16]],
  ['resolutions', [['768P']]],
  ['seconds', [[6]]],
])

/**
 * Sends every operation as every kind of caller, with answers derived from what the operation declares. The operator has
 * a second factor already.
 */
export async function matrix(attacker: Attacker, operations: readonly DescribedOperation[]): Promise<string> {
  let cells = 0
  const { newAccount, newOperator, newSession } = attacker.target
  const [mine, theirs, unverified, ended] = [
    await newAccount(),
    await newAccount(),
    await newAccount(false),
    await newAccount(),
  ]
  const ids = await makeWork(attacker, theirs)
  await attacker.call('POST', '/auth/logout', ended)
  const operator = await newOperator()
  const protectedUser = await newAccount()
  await setUpTotp(attacker, protectedUser)
  const notSteppedUp = await newSession(protectedUser.id)
  const before = await ownView(attacker, theirs, ids)

  const send = (operation: DescribedOperation, caller: Caller, id = NO_ID): Promise<Answer> => {
    cells++
    return attacker.send(requestOf(operation, caller, id))
  }
  const expectStatus = async (operation: DescribedOperation, caller: Caller, status: number, code: string) => {
    const answer = await send(operation, caller)
    if (answer.status !== status || answer.code !== code)
      attacker.find(
        `${operation.name} as ${caller.name}: ${answer.status} ${answer.code ?? ''} instead of ${status} ${code}`,
      )
  }
  const login = await attacker.call('POST', '/auth/login', undefined, {
    email: unverified.email,
    password: unverified.password,
  })
  if (login.code !== 'email_not_verified')
    attacker.find(`sign-in of an unverified account: ${login.status} ${login.code}`)

  const outsiders: Caller[] = [
    { name: 'nobody', cookie: '' },
    { name: 'an unverified account', cookie: login.headers.get('set-cookie') ?? '' },
    { name: 'an ended session', cookie: ended.cookie },
  ]
  for (const operation of operations) {
    const { access, method, path, needsStepUp } = operation
    // Public operations may end the session that they are called with.
    const signedIn: Caller =
      access === 'operator'
        ? { name: 'a user', cookie: mine.cookie, as: mine }
        : { name: 'the operator', cookie: access === 'public' ? await newOperator() : operator }
    const others = [...outsiders, signedIn]
    for (const caller of others)
      if (access === 'public') await send(operation, caller)
      else await expectStatus(operation, caller, 401, 'unauthenticated')
    if (method !== 'GET') {
      const [as, cookie] = access === 'operator' ? [undefined, operator] : [mine, mine.cookie]
      await expectStatus(operation, { name: 'a foreign page', cookie, as, headers: EVIL }, 403, 'cross_site')
    }
    if (needsStepUp && access === 'operator')
      await expectStatus(
        operation,
        { name: 'the operator without step-up', cookie: operator, isOperator: true },
        403,
        'step_up_required',
      )
    if (needsStepUp && access === 'user') {
      const caller = {
        name: 'a user without step-up',
        cookie: notSteppedUp,
        as: protectedUser,
        password: protectedUser.password,
      }
      await expectStatus(operation, caller, 403, 'step_up_required')
    }
    if (access === 'user' && path.includes('{'))
      for (const id of ids) {
        const answer = await send(operation, { name: 'another user', cookie: mine.cookie, as: mine }, id)
        if (!REFUSED.has(answer.status))
          attacker.find(`${operation.name} with the id of another user: ${answer.status}`)
      }
  }
  const after = await ownView(attacker, theirs, ids)
  if (after !== before) attacker.find('requests of another user changed what a user sees')
  return `${cells} cells`
}

interface Caller {
  readonly name: string
  readonly cookie: string
  readonly as?: Account
  readonly headers?: Record<string, string>
  readonly isOperator?: boolean
  readonly password?: string
}

const NO_ID = '0190a000-0000-7000-8000-000000000000'

function requestOf(
  operation: DescribedOperation,
  { cookie, as, headers = {}, isOperator, password }: Caller,
  id: string,
) {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'table' ? 'users.csv' : id))
  const sent = operation.body && validObject(seeded(1), operation.body, FIELDS)
  // Without it, a call that needs both would ask for the password.
  const own = password && operation.body?.properties?.password && { password }
  const body = sent && JSON.stringify({ ...sent, ...knownIn(operation.body!), ...own })
  const type: Record<string, string> = body ? { 'content-type': 'application/json' } : {}
  return { method: operation.method, path, body, as, isOperator, headers: { ...type, ...headers, cookie } }
}

/** Returns the fields of FIELDS with values that the operation accepts, however the rest was drawn. */
const knownIn = ({ properties = {} }: Schema) =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, { enum: choices }]) => {
      const values = FIELDS.get(name) ?? []
      return values.length > 0 ? [[name, choices?.includes(values[0]) === false ? choices[0] : values[0]]] : []
    }),
  )

/** Returns what a user sees of the works and settings that others tried to change. */
async function ownView(attacker: Attacker, as: Account, ids: readonly string[]): Promise<string> {
  const paths = [
    '/auth/me',
    '/videos/my-works',
    '/users/sessions',
    '/credits/history',
    '/subscriptions/stats',
    '/users/factors',
  ]
  const texts = []
  for (const path of paths)
    texts.push((await attacker.call('GET', path, as)).text.replaceAll(/"last_used_at":"[^"]*"/g, ''))
  for (const id of ids) texts.push(String((await attacker.call('GET', `/videos/images/${id}`, as)).status))
  return texts.join('\n')
}

async function setUpTotp(attacker: Attacker, as: Account): Promise<void> {
  const begun = await attacker.call('POST', '/users/totp', as, { password: as.password })
  const { secret } = begun.json() as { secret: string }
  const code = TOTP.generate({ secret: new TOTP({ secret }).secret })
  await attacker.call('POST', '/users/totp/confirm', as, { code })
}
