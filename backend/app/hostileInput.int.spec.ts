import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { type Operation, readOperations, withIds } from '../testing/operations.ts'
import { sampled } from '../testing/sampled.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import type { TestUser } from '../testing/testUser.ts'

const HOSTILE: readonly unknown[] = [
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e\u2066',
  '\uffff',
  "' or 1=1 --",
  '{{7*7}}',
  '../../etc/passwd',
  '%00',
  '0000-01-01',
  '0000-01-01T00:00:00Z',
  '9999-12-31',
  '9999-12-31T23:59:59-23:59',
  '-1',
  '1e309',
  '999999999999999999999',
  2 ** 53,
  -1,
  null,
  [],
  {},
  [['a']],
  { __proto__: 1, length: 1e9 },
]

let kinora: TestKinora
let user: TestUser
let operations: Operation[]
beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
  user = await kinora.newUser()
  operations = await readOperations(kinora.api)
})
afterAll(() => kinora.close())

/** Ending the caller's session would hide the operations behind it. */
const endsTheSession = ({ path }: Operation) => /logout|users\/delete|users\/sessions|users\/password/.test(path)

const serverErrors: string[] = []
async function note(name: string, value: unknown, answer: Promise<Response>): Promise<void> {
  const { status } = await answer
  if (status >= 500) serverErrors.push(`${name} ${JSON.stringify(value)}: ${status}`)
}

describe('hostile values never cause a server error', () => {
  it('in any field or parameter of any operation', { timeout: 600_000 }, async () => {
    const those = operations.filter((each) => !endsTheSession(each))
    for (const operation of sampled(those, those.length / 4))
      for (const value of HOSTILE) {
        const { method, path, fields, parameters, example } = operation
        for (const field of fields)
          await note(
            `${method} ${path} ${field}`,
            value,
            user.call(method, withIds(path), { ...example, [field]: value }),
          )
        for (const { name, in: place } of parameters) {
          const text = typeof value === 'string' ? value : JSON.stringify(value)
          const encoded = encodeURIComponent(text.toWellFormed())
          const target = place === 'path' ? path.replace(`{${name}}`, encoded) : `${path}?${name}=${encoded}`
          await note(`${method} ${path} ${name}`, value, user.call(method, withIds(target)))
        }
      }
    expect(serverErrors).toEqual([])
  })

  it('in any field or parameter of any call by a program', async () => {
    const { apiKeys } = kinora.services
    const settings = { name: 'Key', scopes: ['videos:write' as const, 'videos:read' as const], expires_in_days: null }
    // The rest of an order is right, so that its parts are reached.
    const order = { model: 'MiniMax-Hailuo-02', prompt: 'A cat', seconds: '6' }
    for (const { method, path, fields, parameters } of await readOperations(kinora.api, '/v1')) {
      // Calls of a key are limited in each minute.
      const { id, key } = await apiKeys.create(user.userId, settings)
      const send = (target: string, body?: object) => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
        return fetch(kinora.url + target, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      }
      for (const value of HOSTILE) {
        for (const field of fields)
          await note(`${method} ${path} ${field}`, value, send(withIds(path), { ...order, [field]: value }))
        for (const { name, in: place } of parameters) {
          const text = typeof value === 'string' ? value : JSON.stringify(value)
          const encoded = encodeURIComponent(text.toWellFormed())
          const target = place === 'path' ? path.replace(`{${name}}`, encoded) : `${path}?${name}=${encoded}`
          await note(`${method} ${path} ${name}`, value, send(withIds(target)))
        }
      }
      await apiKeys.end(user.userId, id)
    }
    expect(serverErrors).toEqual([])
  })

  it('in paths and parameters of the development pages', async () => {
    const faults: string[] = []
    for (const value of ['%00', '%E0%A4%A', '%ff', 'a%00b', '..%2f'])
      for (const [method, path] of [
        ['GET', `/dev/mailbox.json?to=${value}`],
        ['GET', `/dev/mailbox?to=${value}`],
        ['GET', `/dev/paypal/approve/${value}`],
        ['POST', `/dev/paypal/${value}/approve`],
        ['POST', `/dev/paypal/${value}/refund`],
        ['GET', `/api/v1/videos/tasks/${value}`],
        ['GET', `/${value}`],
      ] as const) {
        const { status } = await fetch(kinora.url + path, { method, redirect: 'manual' })
        if (status >= 500) faults.push(`${method} ${path}: ${status}`)
      }
    expect(faults).toEqual([])
  })
})
