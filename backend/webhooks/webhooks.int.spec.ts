import OpenAI from 'openai'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { REFUSED_ADDRESSES } from '../kernel/http/outgoing/testing/refusedAddresses.ts'
import { createProviderDouble, type ProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { eventually } from '../testing/eventually.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../testing/testUser.ts'
import type { WebhookDelivery, WebhookEndpoint } from './contract.ts'
import { answering, startReceiverDouble } from './testing/receiverDouble.ts'

type Made = WebhookEndpoint & { signing_secret: string }

let kinora: TestKinora
let provider: ProviderDouble
let receiver: Awaited<ReturnType<typeof startReceiverDouble>>
let user: TestUser
beforeAll(async () => {
  provider = await createProviderDouble()
  kinora = await startTestKinora({ provider, env: { WEBHOOK_PRIVATE_HOSTS: 'localhost' } })
})
afterAll(() => kinora?.close())
beforeEach(async () => {
  user = await kinora.newUser()
  receiver = await startReceiverDouble()
  provider.answer = () => ({ kind: 'finished' })
})

afterEach(() => receiver.close())

const json = async <T>(answer: Promise<Response>, status = 200): Promise<T> => {
  const response = await answer
  const body = (await response.json()) as T
  expect([response.status, body]).toEqual([status, body])
  return body
}
const order = (body: object = {}) => ({
  name: 'n8n',
  url: receiver.url,
  event_types: ['video.completed', 'video.failed'],
  ...body,
})
const make = (body?: object, owner = user) => json<Made>(owner.call('POST', '/webhook_endpoints', order(body)))
const path = ({ id }: Pick<WebhookEndpoint, 'id'>, rest = '') => `/webhook_endpoints/${id}${rest}`
const read = (endpoint: Made) => json<WebhookEndpoint>(user.call('GET', path(endpoint)))
const deliveries = async (endpoint: Made) =>
  (await json<{ deliveries: WebhookDelivery[] }>(user.call('GET', path(endpoint, '/deliveries')))).deliveries
const film = async () =>
  ((await (await user.call('POST', '/videos/generate', GENERATION)).json()) as { task: { id: string } }).task.id
const arrived = (count = 1) =>
  eventually(() => {
    expect(receiver.received.length).toBeGreaterThanOrEqual(count)
    return receiver.received
  })
/** Makes the next attempt due now. */
const hurry = (endpoint: Made) =>
  kinora.context.pool.query("update outbox set due_at = now() where target = $1 and state = 'waiting'", [endpoint.id])
/** Moves the failures of an endpoint back. */
const age = (endpoint: Made, days: number) =>
  kinora.context.pool.query(
    `update webhook_endpoint set failing_since = failing_since - $2::interval, warned_at = warned_at - $2::interval
     where id = $1`,
    [endpoint.id, `${days} days`],
  )

describe('a webhook', () => {
  it('tells of a finished video, without its prompt, and is accepted by the official verifiers', async () => {
    const endpoint = await make()
    const id = await film()
    const [{ body, headers }] = (await arrived()) as [(typeof receiver.received)[0]]
    expect(JSON.parse(body)).toEqual({
      type: 'video.completed',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        ...{ id, object: 'video', status: 'completed', model: GENERATION.model, credits: 30, error: null },
        url: `${kinora.url}/film/${id}`,
        links: { self: `${kinora.url}/v1/videos/${id}`, content: `${kinora.url}/v1/videos/${id}/content` },
      },
    })
    expect(body).not.toContain(GENERATION.prompt)
    const { signing_secret: secret } = endpoint
    const client = new OpenAI({ apiKey: 'none', webhookSecret: secret })
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'video.completed' })
    expect(await client.webhooks.unwrap(body, headers)).toMatchObject({ data: { id } })
    const changed = body.replace('completed', 'completec')
    expect(() => new Webhook(secret).verify(changed, headers)).toThrow('No matching signature')
    await expect(client.webhooks.unwrap(changed, headers)).rejects.toThrow()
    const [delivery] = await eventually(async () => {
      const list = await deliveries(endpoint)
      expect(list).toMatchObject([{ status: 'sent' }])
      return list
    })
    expect(delivery).toMatchObject({
      id: headers['webhook-id'],
      event_type: 'video.completed',
      attempts: 1,
      status_code: 204,
    })
  })

  it('tells of a failed video, and only of the types that its endpoint receives', async () => {
    const [all, one] = [
      await make(),
      await make({ url: `${receiver.url}/completed`, event_types: ['video.completed'] }),
    ]
    provider.answer = () => ({ kind: 'failed', code: 'provider_failed', detail: 'why' })
    const id = await film()
    const [{ body, path: address }] = (await arrived()) as [(typeof receiver.received)[0]]
    expect([address, JSON.parse(body)]).toMatchObject([
      '/hook',
      { type: 'video.failed', data: { id, credits: 0, error: { code: expect.any(String) } } },
    ])
    expect([(await deliveries(all)).length, (await deliveries(one)).length]).toEqual([1, 0])
  })

  it('is tried again with the same id and a new signature', async () => {
    const endpoint = await make()
    receiver.answer = answering(500, {}, `no\0 <b>${'x'.repeat(5_000)}`)
    await film()
    await arrived()
    await eventually(async () =>
      expect(await deliveries(endpoint)).toMatchObject([{ status: 'waiting', status_code: 500 }]),
    )
    const [{ answer }] = (await deliveries(endpoint)) as [WebhookDelivery]
    expect([answer?.length, answer?.startsWith('no <b>xxx')]).toEqual([1_023, true])
    expect((await read(endpoint)).failing_since).not.toBeNull()
    receiver.answer = receiver.ok
    await hurry(endpoint)
    const [first, second] = (await arrived(2)).map(({ headers }) => headers)
    expect(second?.['webhook-id']).toBe(first?.['webhook-id'])
    await eventually(async () => expect(await read(endpoint)).toMatchObject({ failing_since: null, enabled: true }))
    expect(await deliveries(endpoint)).toMatchObject([{ status: 'sent', attempts: 2 }])
  })

  it.each([
    [
      'never follows a redirect',
      () => answering(301, { location: `${receiver.url}/else` }),
      { status: 'waiting', status_code: 301 },
    ],
    [
      'waits as long as Retry-After says',
      () => answering(429, { 'retry-after': '7200' }),
      { status: 'waiting', status_code: 429 },
    ],
    [
      'survives an answer without end',
      () => (response: never) => Reflect.apply(endless, undefined, [response]),
      { status: 'sent', status_code: 200 },
    ],
  ])('%s', async (name, answer, expected) => {
    const endpoint = await make()
    receiver.answer = answer() as never
    await film()
    await arrived()
    const [delivery] = await eventually(async () => {
      const list = await deliveries(endpoint)
      expect(list).toMatchObject([expected])
      return list
    })
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook'])
    const wait = (delivery?.next_attempt_at ?? 0) - (delivery?.last_attempt_at ?? 0)
    if (name.includes('Retry-After')) expect(wait).toBe(7_200)
  })

  it('goes to other endpoints while one is busy, whose other webhooks wait', async () => {
    const [busy, good] = [await make({ url: `${receiver.url}/busy` }), await make({ url: `${receiver.url}/good` })]
    receiver.answer = (response, { url }) =>
      (url?.endsWith('busy') ? answering(503, { 'retry-after': '3600' }) : receiver.ok)(response, undefined as never)
    await film()
    await eventually(async () => expect(await deliveries(busy)).toMatchObject([{ status_code: 503 }]))
    await eventually(async () => expect(await deliveries(good)).toMatchObject([{ status: 'sent' }]))
  })
})

function endless(response: {
  write(text: string): boolean
  on(name: string, listener: () => void): void
  destroyed: boolean
}) {
  const fill = () => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
  }
  response.on('drain', fill)
  fill()
}

describe('an endpoint', () => {
  it('is switched off by 410, by its owner, and on again', async () => {
    const endpoint = await make()
    receiver.answer = answering(410)
    await film()
    await eventually(async () =>
      expect(await read(endpoint)).toMatchObject({ enabled: false, disabled_because: 'gone' }),
    )
    await eventually(async () => expect((await kinora.mails(user.email))[0]?.subject).toContain('switched off'))
    expect(await deliveries(endpoint)).toMatchObject([{ status: 'failed', attempts: 1, next_attempt_at: null }])
    const again = user.call('POST', path(endpoint, '/send_failed'), { since: 0 })
    expect(await json(again, 409)).toMatchObject({ code: 'endpoint_off' })
    await json(user.call('POST', path(endpoint), { enabled: true }))
    receiver.answer = receiver.ok
    expect(await json(user.call('POST', path(endpoint, '/send_failed'), { since: 0 }), 202)).toEqual({ sent: 1 })
    await eventually(async () => expect(await deliveries(endpoint)).toMatchObject([{ status: 'sent' }]))
    expect(await json(user.call('POST', path(endpoint), { enabled: false }))).toMatchObject({
      disabled_because: 'owner',
    })
  })

  it('is switched off after five days of failures, with a mail before and after', async () => {
    const endpoint = await make()
    receiver.answer = answering(500)
    await film()
    await eventually(async () => expect((await read(endpoint)).failing_since).not.toBeNull())
    const subjects = async () => (await kinora.mails(user.email)).map(({ subject }) => subject)
    await age(endpoint, 3.1)
    await eventually(async () => {
      await hurry(endpoint)
      expect((await subjects())[0]).toBe('Your Kinora webhooks don’t arrive')
    })
    expect((await read(endpoint)).enabled).toBe(true)
    await age(endpoint, 2)
    await eventually(async () => {
      await hurry(endpoint)
      expect(await read(endpoint)).toMatchObject({ enabled: false, disabled_because: 'failing' })
    })
    await eventually(async () => expect((await subjects())[0]).toBe('Kinora has switched off a webhook endpoint'))
    await eventually(async () => expect(await deliveries(endpoint)).toMatchObject([{ next_attempt_at: null }]))
    const seen = receiver.received.length
    await film()
    await json(user.call('POST', path(endpoint, '/test'), {}))
    expect(receiver.received.length).toBe(seen + 1)
  })

  it('signs with the former secret for 24 hours after a rotation, or not at all', async () => {
    const endpoint = await make()
    const rotate = (keeps: boolean) =>
      json<Made>(user.call('POST', path(endpoint, '/rotate_secret'), { keep_old_secret_active_for_24_hours: keeps }))
    const test = async () => {
      await json(user.call('POST', path(endpoint, '/test'), { event_type: 'ping' }))
      return receiver.received.at(-1)!
    }
    const verifies = ({ signing_secret }: Made, { body, headers }: (typeof receiver.received)[0]) => {
      try {
        return Boolean(new Webhook(signing_secret).verify(body, headers))
      } catch {
        return false
      }
    }
    const second = await rotate(true)
    const both = await test()
    expect([verifies(endpoint, both), verifies(second, both)]).toEqual([true, true])
    await kinora.context.pool.query('update webhook_endpoint set former_until = now() where id = $1', [endpoint.id])
    expect(verifies(endpoint, await test())).toBe(false)
    const third = await rotate(false)
    const one = await test()
    expect([verifies(second, one), verifies(third, one), one.headers['webhook-signature'].split(' ').length]).toEqual([
      false,
      true,
      1,
    ])
    const { rows } = await kinora.context.pool.query('select * from webhook_endpoint where id = $1', [endpoint.id])
    expect(JSON.stringify(rows)).not.toContain(third.signing_secret.slice(6, 40))
  })

  it('is refused at every address that is not public, by name', async () => {
    const codes = new Set<string>()
    for (const url of REFUSED_ADDRESSES.filter((address) => !/\/\/localhost\b/i.test(address))) {
      const { errors } = await json<{ errors: { path: string; code: string }[] }>(
        user.call('POST', '/webhook_endpoints', order({ url })),
        422,
      )
      codes.add(errors.map(({ path, code }) => `${path} ${code}`).join())
    }
    expect([...codes]).toEqual(['url address_refused'])
    const endpoint = await make()
    expect(await json(user.call('POST', path(endpoint), { url: 'https://10.0.0.1/x' }), 422)).toMatchObject({
      errors: [{ path: 'url', code: 'address_refused' }],
    })
    expect(await json(user.call('POST', path(endpoint), { url: `${receiver.url}#x` }), 422)).toMatchObject({
      errors: [{ path: 'url' }],
    })
  })

  it('can be Kinora itself, which takes nothing from a webhook', async () => {
    const endpoint = await make({ url: `${kinora.url}/api/v1/webhook_endpoints` })
    const { status_code } = await json<{ status_code: number }>(user.call('POST', path(endpoint, '/test'), {}))
    expect(status_code).toBeGreaterThanOrEqual(400)
    expect((await read(endpoint)).enabled).toBe(true)
  })

  it('always signs with a secret that its owner was given, also while it is rotated', async () => {
    const endpoint = await make()
    const rotate = () =>
      json<Made>(user.call('POST', path(endpoint, '/rotate_secret'), { keep_old_secret_active_for_24_hours: true }))
    const test = () => user.call('POST', path(endpoint, '/test'), {})
    const given = [endpoint]
    for (let round = 0; round < 4; round++) {
      const [first, second] = await Promise.all([rotate(), rotate(), test(), test()])
      given.push(first, second)
    }
    expect(receiver.received).toHaveLength(8)
    for (const { body, headers } of receiver.received) {
      const verifying = given.filter(({ signing_secret }) => {
        try {
          return Boolean(new Webhook(signing_secret).verify(body, headers))
        } catch {
          return false
        }
      })
      expect(verifying.length).toBeGreaterThan(0)
    }
  })

  it('can be deleted while a webhook is on its way', async () => {
    const endpoint = await make()
    const answered = Promise.withResolvers<void>()
    receiver.answer = async (response) => {
      await answered.promise
      response.writeHead(500).end()
    }
    await film()
    await arrived()
    await json(user.call('DELETE', path(endpoint)))
    answered.resolve()
    const { rowCount } = await kinora.context.pool.query('select from outbox where target = $1', [endpoint.id])
    expect(rowCount).toBe(0)
    const other = await make()
    receiver.answer = receiver.ok
    await film()
    await eventually(async () => expect(await deliveries(other)).toMatchObject([{ status: 'sent' }]))
  })

  it('exists for its owner only', async () => {
    const endpoint = await make()
    await json(user.call('POST', path(endpoint, '/test'), {}))
    const [delivery] = await deliveries(endpoint)
    const stranger = await kinora.newUser()
    const own = await make({}, stranger)
    for (const [method, address, body] of [
      ['GET', path(endpoint)],
      ['POST', path(endpoint), { name: 'mine' }],
      ['DELETE', path(endpoint)],
      ['POST', path(endpoint, '/rotate_secret'), {}],
      ['POST', path(endpoint, '/test'), {}],
      ['GET', path(endpoint, '/deliveries')],
      ['POST', path(endpoint, `/deliveries/${delivery?.id}/send`), {}],
      ['POST', path(own, `/deliveries/${delivery?.id}/send`), {}],
      ['POST', path(endpoint, '/send_failed'), { since: 0 }],
    ] as const)
      expect([method, address, (await stranger.call(method, address, body)).status]).toEqual([method, address, 404])
    expect(await read(endpoint)).toMatchObject({ name: 'n8n', updated_at: endpoint.updated_at })
    expect(await deliveries(endpoint)).toHaveLength(1)
  })

  it('is one of five, also to concurrent calls', async () => {
    const answers = await Promise.all(Array.from({ length: 9 }, () => user.call('POST', '/webhook_endpoints', order())))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 409, 409, 409, 409])
  })

  it('goes with its deliveries, also with the account', async () => {
    const [first, second] = [await make(), await make()]
    receiver.answer = answering(500)
    await film()
    await arrived(2)
    await json(user.call('DELETE', path(first)))
    const left = async () =>
      (await kinora.context.pool.query(`select from outbox where user_id = $1 and channel = 'webhook'`, [user.userId]))
        .rowCount
    await eventually(async () => expect([await left(), (await deliveries(second)).length]).toEqual([1, 1]))
    await user.call('POST', '/users/delete', { password: 'correct horse' })
    await eventually(async () => {
      expect(await left()).toBe(0)
      const { rowCount } = await kinora.context.pool.query('select from webhook_endpoint where id = $1', [second.id])
      expect(rowCount).toBe(0)
    })
  })
})

describe('the official client', () => {
  it('makes, lists, reads, changes, tests, rotates and deletes an endpoint', async () => {
    const key = await kinora.services.apiKeys.create(user.userId, {
      name: 'Hooks',
      scopes: ['webhooks:write'],
      expires_in_days: null,
    })
    const { webhooks } = new OpenAI({ baseURL: `${kinora.url}/v1`, apiKey: key.key, maxRetries: 0 })
    const made = (await webhooks.create({
      name: 'Client',
      url: receiver.url,
      event_types: ['video.completed'],
    })) as unknown as Made
    expect(made).toMatchObject({
      object: 'webhook_endpoint',
      signing_secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
    })
    const { signing_secret: _, ...shown } = made
    expect(await webhooks.retrieve(made.id)).toEqual(shown)
    await webhooks.create({ name: 'Second', url: receiver.url, event_types: ['video.failed'] })
    expect((await Array.fromAsync(webhooks.list({ limit: 1 }))).map(({ name }) => name)).toEqual(['Second', 'Client'])
    expect(await webhooks.update(made.id, { name: 'Renamed' })).toMatchObject({ name: 'Renamed', url: receiver.url })
    expect(await webhooks.test(made.id, { event_type: 'video.failed' })).toMatchObject({
      success: true,
      status_code: 204,
    })
    const rotated = await webhooks.rotateSecret(made.id, { keep_old_secret_active_for_24_hours: true })
    expect(rotated).not.toMatchObject({ signing_secret: made.signing_secret })
    expect((await webhooks.eventTypes.list()).data).toContain('video.completed')
    expect(await webhooks.delete(made.id)).toMatchObject({ deleted: true })
    await expect(webhooks.retrieve(made.id)).rejects.toMatchObject({ status: 404 })
  })
})
