import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCOPES, type Scope } from '../kernel/http/contract.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import type { TestUser } from '../testing/testUser.ts'

type Security = Readonly<{ session?: unknown; operator?: unknown; key?: readonly Scope[] }>
interface Operation {
  readonly name: string
  readonly method: string
  readonly address: string
  readonly ways: readonly Security[]
}

let kinora: TestKinora
let user: TestUser
let operations: Operation[]
const keys = new Map<Scope | 'ended', string>()

beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
  user = await kinora.newUser()
  const { apiKeys } = kinora.services
  const make = (scopes: Scope[]) => apiKeys.create(user.userId, { name: 'Matrix', scopes, expires_in_days: null })
  for (const scope of SCOPES) keys.set(scope, (await make([scope])).key)
  const ended = await make([...SCOPES])
  await apiKeys.end(user.userId, ended.id)
  keys.set('ended', ended.key)
  const { paths } = (await (await fetch(`${kinora.api}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { security: Security[] }>>
  }
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => {
      const base = path.startsWith('/v1/') ? kinora.url : kinora.api
      const address = base + path.replaceAll(/\{\w+\}/g, '019a0000-0000-7000-8000-000000000000')
      return { name: `${method.toUpperCase()} ${path}`, method: method.toUpperCase(), address, ways: security }
    }),
  )
})
afterAll(() => kinora?.close())

const DOORS = ['unauthenticated', 'invalid_api_key', 'key_scope']

/** Calls an operation with an empty body. Returns the code of a refusal at the door; `in` for every other answer. */
async function enter({ method, address }: Operation, headers: Record<string, string>): Promise<string> {
  const hasBody = method !== 'GET' && method !== 'DELETE'
  const answer = await fetch(address, {
    method,
    headers: { ...headers, ...(hasBody && { 'content-type': 'application/json' }) },
    ...(hasBody && { body: '{}' }),
  })
  const text = await answer.text()
  const { code, error } = (answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : {}) as {
    code?: string
    error?: { code: string }
  }
  const refusal = error?.code ?? code ?? ''
  return answer.status >= 400 && DOORS.includes(refusal) ? refusal : 'in'
}

const takesKey = ({ ways }: Operation, scope: Scope) => ways.some(({ key }) => key?.includes(scope))
const isPublic = ({ ways }: Operation) => ways.length === 0
/** Serves strangers too, within limits. */
const FOR_VISITORS = ['POST /videos/understand', 'POST /teams/invitations/preview', 'POST /teams/invitations/accept']
const PUBLIC_ALSO_REFUSES = ['POST /auth/login', 'POST /auth/refresh', 'POST /auth/second-factor', 'POST /auth/passkey']

describe('the door of every operation', () => {
  it.each(SCOPES)('opens to a key with the scope %s exactly where its contract says', async (scope) => {
    const wrong: unknown[] = []
    for (const operation of operations) {
      const outcome = await enter(operation, { authorization: `Bearer ${keys.get(scope)}` })
      const expected = isPublic(operation) || takesKey(operation, scope)
      const isRight = expected ? outcome === 'in' || PUBLIC_ALSO_REFUSES.includes(operation.name) : outcome !== 'in'
      if (!isRight) wrong.push([operation.name, outcome])
    }
    expect(wrong).toEqual([])
    expect(operations.length).toBeGreaterThan(80)
  })

  it('is closed to a key that has ended, with the cookies of its user beside it', async () => {
    const headers = { authorization: `Bearer ${keys.get('ended')}`, cookie: user.cookie }
    const wrong: unknown[] = []
    for (const operation of operations.filter((each) => !isPublic(each))) {
      const outcome = await enter(operation, headers)
      if (outcome === 'in') wrong.push(operation.name)
    }
    expect(wrong).toEqual([])
  })

  it('is closed to strangers, and to a session where only the operator or a program may enter', async () => {
    const wrong: unknown[] = []
    for (const operation of operations.filter((each) => !isPublic(each))) {
      const isOpen = (await enter(operation, {})) === 'in'
      if (isOpen !== FOR_VISITORS.includes(operation.name)) wrong.push(['stranger', operation.name])
      const isForUsers = operation.ways.some(({ session }) => session)
      if (!isForUsers && (await enter(operation, { cookie: user.cookie })) === 'in')
        wrong.push(['user', operation.name])
    }
    expect(wrong).toEqual([])
  })

  it('opens to no key in the account, its payments, its sessions and factors, its keys, and the board', () => {
    const closed = operations.filter(({ ways }) => !ways.some(({ key }) => key)).map(({ name }) => name)
    const opened = operations.filter(({ ways }) => ways.some(({ key }) => key)).map(({ name }) => name)
    expect(
      opened.filter((name) => !/ \/(?:videos|credits\/(?:history|receipts)|subscriptions\/stats|v1)\b/.test(name)),
    ).toEqual([])
    for (const part of ['/users/', '/auth/me', '/subscriptions/upgrade', '/keys', '/analytics/'])
      expect(
        closed.some((name) => name.includes(part)),
        part,
      ).toBe(true)
  })
})
