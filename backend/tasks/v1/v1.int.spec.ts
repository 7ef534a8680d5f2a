import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createCanvas } from '@napi-rs/canvas'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { createProviderDouble, type ProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { SEED } from '../../testing/fullRun.ts'
import { seeded } from '../../testing/seeded.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import type { TestUser } from '../../testing/testUser.ts'
import type { Video } from './v1.contract.ts'

let kinora: TestKinora
let provider: ProviderDouble
beforeAll(async () => {
  provider = await createProviderDouble()
  kinora = await startTestKinora({ provider })
})
afterAll(() => kinora?.close())

const MODEL = 'MiniMax-Hailuo-02'
const ORDER = { model: MODEL, prompt: 'A cat on a hill', seconds: '6', size: '1280x720' }
const ALL = ['videos:write', 'videos:read'] as const
const PICTURE = createCanvas(640, 360).toBuffer('image/png')
const DATA_URL = `data:image/png;base64,${PICTURE.toString('base64')}`

const newKey = async (user: TestUser, settings: object = {}) => {
  const order = { name: 'Client', scopes: ALL, password: 'correct horse', ...settings }
  return ((await (await user.call('POST', '/keys', order)).json()) as { key: string }).key
}
/** Registers a user with a key, and opens the official client with it. */
const openClient = async (settings: object = {}) => {
  const user = await kinora.newUser()
  const key = await newKey(user, settings)
  const client = new OpenAI({ apiKey: key, baseURL: `${kinora.url}/v1` })
  return { user, key, client }
}
type Client = Awaited<ReturnType<typeof openClient>>['client']
/** Creates a video with fields that the client's types do not know. */
const create = (client: Client, order: object, options: object = {}) =>
  client.videos.create(order as never, options) as unknown as Promise<Video>
const call = (key: string, method: string, at: string, body?: BodyInit, headers: Record<string, string> = {}) =>
  fetch(`${kinora.url}/v1${at}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...headers },
    ...(body === undefined ? {} : { body }),
  })
const sendJson = (key: string, body: object, headers: Record<string, string> = {}) =>
  call(key, 'POST', '/videos', JSON.stringify(body), { 'content-type': 'application/json', ...headers })
const errorOf = async (answer: Response) => {
  const { error } = (await answer.json()) as { error: { code: string; param: string | null; message: string } }
  return { status: answer.status, ...error }
}
const finished = (client: Client, id: string) =>
  eventually(async () => {
    const video = await client.videos.retrieve(id)
    expect(video.status).toBe('completed')
    return video as unknown as Video
  })
const tasksOf = async (user: TestUser) =>
  ((await (await user.call('GET', '/videos/tasks?per_page=100')).json()) as { total: number }).total

// proof/conformance tries what every server of this form offers.
describe('the official client for Node', () => {
  it('gets every field, the file that its user downloads, and no page after a deleted video', async () => {
    const { client, user } = await openClient()
    const video = await create(client, ORDER)
    expect(video).toEqual({
      ...{ id: expect.any(String), object: 'video', status: expect.stringMatching(/queued|in_progress|completed/) },
      ...{ progress: expect.any(Number), created_at: expect.any(Number), completed_at: null, expires_at: null },
      ...{ model: MODEL, prompt: 'A cat on a hill', seconds: '6', size: '1366x768' },
      ...{ remixed_from_video_id: null, error: null, credits: 30 },
      page_url: `${kinora.url}/film/${video.id}`,
    })
    await finished(client, video.id)
    const content = await client.videos.downloadContent(video.id)
    const shown = await user.call('GET', `/videos/download/${video.id}`)
    const [ours, theirs] = await Promise.all([shown.arrayBuffer(), content.arrayBuffer()])
    expect(Buffer.from(theirs).equals(Buffer.from(ours))).toBe(true)
    await client.videos.delete(video.id)
    await expect(client.videos.list({ after: video.id })).rejects.toMatchObject({ status: 400, param: 'after' })
  })

  it('lists the models that its key may order', async () => {
    const { client } = await openClient({ models: [MODEL] })
    expect((await client.models.list()).data).toEqual([
      {
        ...{ id: MODEL, object: 'model', created: expect.any(Number), owned_by: 'kinora' },
        offers: [
          { task_types: ['I2V'], size: '910x512', seconds: 6, credits: 10 },
          { task_types: ['I2V'], size: '910x512', seconds: 10, credits: 15 },
          { task_types: ['T2V', 'I2V'], size: '1366x768', seconds: 6, credits: 30 },
          { task_types: ['T2V', 'I2V'], size: '1366x768', seconds: 10, credits: 60 },
          { task_types: ['T2V', 'I2V'], size: '1920x1080', seconds: 6, credits: 60 },
        ],
      },
    ])
    expect((await client.models.retrieve(MODEL)).id).toBe(MODEL)
    await expect(client.models.retrieve('T2V-01')).rejects.toMatchObject({ status: 404 })
  })

  it('raises the class of each error', async () => {
    const { client, user } = await openClient()
    const other = new OpenAI({ apiKey: 'kin_wrong', baseURL: `${kinora.url}/v1` })
    await expect(other.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError)
    await expect(client.videos.retrieve('none')).rejects.toBeInstanceOf(OpenAI.NotFoundError)
    await expect(create(client, { ...ORDER, seconds: '7' })).rejects.toBeInstanceOf(OpenAI.BadRequestError)
    const reader = new OpenAI({ apiKey: await newKey(user, { scopes: ['videos:read'] }), baseURL: `${kinora.url}/v1` })
    await expect(create(reader, ORDER)).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError)
    const poor = await openClient({ credits_per_day: 29 })
    await expect(create(poor.client, ORDER)).rejects.toMatchObject({
      status: 402,
      code: 'key_limit_reached',
      type: 'insufficient_quota',
    })
    expect(await tasksOf(user)).toBe(0)
  })

  it('sends a picture as a file, and as a data: address in brackets', async () => {
    const { client, user } = await openClient()
    for (const input_reference of [await toFile(PICTURE, 'a.png', { type: 'image/png' }), { image_url: DATA_URL }]) {
      const { id } = await create(client, { ...ORDER, input_reference })
      await finished(client, id)
      const task = (await (await user.call('GET', `/videos/tasks/${id}`)).json()) as object
      expect(task).toMatchObject({ task_type: 'image_to_video', first_frame_image_url: expect.any(String) })
    }
  })
})

describe('an order', () => {
  it.each([
    ['JSON', { ...ORDER, seconds: 6 }],
    ['JSON with a picture', { ...ORDER, input_reference: { image_url: DATA_URL } }],
    ['JSON with a bare picture', { ...ORDER, input_reference: DATA_URL }],
    ['the cheapest video without length and size', { model: MODEL, prompt: 'A cat' }],
    ['JSON with fields that are null', { ...ORDER, size: null, n: null, seed: null, input_reference: null }],
    ['a resolution in other words', { model: MODEL, prompt: 'A cat', resolution: '768p' }],
    ['no sound of a model without sound', { ...ORDER, generate_audio: false, unknown: 1 }],
  ])('in %s is accepted', async (_, body) => {
    const { key } = await openClient()
    const answer = await sendJson(key, body)
    expect([answer.status, await answer.json()]).toMatchObject([200, { seconds: '6', size: '1366x768', credits: 30 }])
  })

  it.each([
    [{ model: undefined }, 'model', 'invalid_value'],
    [{ model: 'sora-2' }, 'model', 'invalid_value'],
    [{ seconds: '4' }, 'seconds', 'invalid_value'],
    [{ size: '1024x1792' }, 'size', 'invalid_value'],
    [{ size: '720x1280' }, 'size', 'invalid_value'],
    [{ n: 2 }, 'n', 'invalid_value'],
    [{ seed: 'seven' }, 'seed', 'invalid'],
    [{ prompt: '' }, 'prompt', 'required'],
    [{ seed: 7 }, 'seed', 'seed_not_for_model'],
    [{ input_reference: { file_id: 'file-1' } }, 'input_reference', 'invalid_value'],
    [{ input_reference: 'https://example.com/a.png' }, 'input_reference', 'invalid_value'],
    [{ input_reference: 'data:image/png;base64,aGk=' }, 'input_reference', 'invalid_file_type'],
  ])('with %j is refused with 400 and the field', async (change, param, code) => {
    const { key, user } = await openClient()
    expect(await errorOf(await sendJson(key, { ...ORDER, ...change }))).toMatchObject({ status: 400, param, code })
    expect(await tasksOf(user)).toBe(0)
  })

  it('as JSON may be long only by the data of its picture', async () => {
    const { key } = await openClient()
    const random = seeded(SEED)
    const canvas = createCanvas(640, 360)
    const noise = canvas.getContext('2d').createImageData(640, 360)
    for (let at = 0; at < noise.data.length; at++) noise.data[at] = random() * 256
    canvas.getContext('2d').putImageData(noise, 0, 0)
    const address = `data:image/png;base64,${canvas.toBuffer('image/png').toString('base64')}`
    // Some encoders escape slashes.
    const escaped = JSON.stringify({ ...ORDER, input_reference: { image_url: address } }).replaceAll('/', '\\/')
    const answer = await call(key, 'POST', '/videos', escaped, { 'content-type': 'application/json' })
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)])
    for (const more of [{ prompt: address }, { more: 'x'.repeat(40_000) }, { more: [address, address] }])
      for (const picture of [{}, { input_reference: DATA_URL }])
        expect(await errorOf(await sendJson(key, { ...ORDER, ...picture, ...more }))).toMatchObject({
          status: 400,
          code: 'fields_too_large',
        })
  })

  it('names what the model offers', async () => {
    const { key } = await openClient()
    const said = async (change: object) => (await errorOf(await sendJson(key, { ...ORDER, ...change }))).message
    expect(await said({ seconds: 4 })).toBe(`${MODEL} offers these lengths: 6, 10 seconds.`)
    expect(await said({ size: '1024x1792' })).toContain('1366x768')
    expect(await said({ model: undefined })).toContain(MODEL)
  })

  it('that costs more than its client accepts is refused, and not repeated', async () => {
    const { key } = await openClient()
    const answer = await sendJson(key, { ...ORDER, max_credits: 29 })
    expect(answer.headers.get('x-should-retry')).toBe('false')
    expect(await errorOf(answer)).toMatchObject({ status: 409, code: 'price_changed', credits: 30 })
  })
})

describe('a repeated create', () => {
  it('with an Idempotency-Key answers the first video, however its form was written', async () => {
    const { client, user, key } = await openClient()
    const options = { headers: { 'Idempotency-Key': 'one' } }
    const order = async () => ({ ...ORDER, input_reference: await toFile(PICTURE, 'a.png', { type: 'image/png' }) })
    const [first, again] = [await create(client, await order(), options), await create(client, await order(), options)]
    expect(again.id).toBe(first.id)
    const replayed = await sendJson(key, { ...ORDER, input_reference: DATA_URL }, { 'idempotency-key': 'one' })
    expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    const other = await sendJson(key, { ...ORDER, prompt: 'A dog' }, { 'idempotency-key': 'one' })
    expect(await errorOf(other)).toMatchObject({ status: 422, code: 'idempotency_key_reused' })
    expect(await tasksOf(user)).toBe(1)
  })

  it('without a key is one video if the client counts it as a repetition, and two if not', async () => {
    const { key, user } = await openClient()
    const send = async (count: string) =>
      ((await (await sendJson(key, ORDER, { 'x-stainless-retry-count': count })).json()) as Video).id
    const [one, again, other] = [await send('0'), await send('1'), await send('0')]
    expect(again).toBe(one)
    expect(other).not.toBe(one)
    // Both may have lost their answers: each repetition gets another of the two.
    expect(new Set([await send('2'), await send('2')])).toEqual(new Set([one, other]))
    expect([one, other]).toContain(await send('12'))
    expect(await tasksOf(user)).toBe(2)
  })

  it('is remembered for 15 minutes, so that a client fills no memory', async () => {
    const { key, user } = await openClient()
    const id = (await kinora.services.apiKeys.list(user.userId))[0]?.id
    const remembered = async () =>
      (await kinora.context.pool.query('select from api_order where key_id = $1', [id])).rowCount
    const send = (prompt: string) => sendJson(key, { ...ORDER, prompt }, { 'x-stainless-retry-count': '0' })
    for (const prompt of ['one', 'two']) await send(prompt)
    expect(await remembered()).toBe(2)
    await kinora.context.pool.query(`update api_order set ordered_at = ordered_at - interval '16 minutes'`)
    await send('three')
    expect(await remembered()).toBe(1)
  })

  it('that arrives before its first attempt is the same video', async () => {
    const { key, user } = await openClient()
    const send = async (count: string) =>
      ((await (await sendJson(key, ORDER, { 'x-stainless-retry-count': count })).json()) as Video).id
    const repeated = await send('1')
    expect(await send('0')).toBe(repeated)
    expect(await send('0')).not.toBe(repeated)
    expect(await tasksOf(user)).toBe(2)
  })
})

describe('an extension', () => {
  it('goes on from the last frame of a finished video, by the official client and as JSON', async () => {
    const { client, user, key } = await openClient()
    const { id } = await create(client, ORDER)
    await finished(client, id)
    const next = (await client.videos.extend({
      video: { id },
      prompt: 'It jumps',
      seconds: '6' as never,
    })) as unknown as Video
    expect(next).toMatchObject({ model: MODEL, prompt: 'It jumps', seconds: '6', size: '1366x768', credits: 30 })
    expect(await (await user.call('GET', `/videos/tasks/${next.id}`)).json()).toMatchObject({
      ...{ task_type: 'image_to_video', first_frame_image_url: expect.any(String) },
    })
    await finished(client, next.id)
    const body = JSON.stringify({ video: { id }, prompt: 'It sleeps' })
    const refused = await call(key, 'POST', '/videos/extensions', body, { 'content-type': 'application/json' })
    expect(await errorOf(refused)).toMatchObject({ status: 402, code: 'insufficient_credits' })
  })

  it('is once for each key, and refused for the video of another user and without one', async () => {
    const [owner, stranger] = [await openClient(), await openClient()]
    const { id } = await create(owner.client, ORDER)
    await finished(owner.client, id)
    const extend = (key: string, video: object | undefined) =>
      call(key, 'POST', '/videos/extensions', JSON.stringify({ video, prompt: 'It jumps' }), {
        ...{ 'content-type': 'application/json', 'idempotency-key': 'one' },
      })
    const ids = [await extend(owner.key, { id }), await extend(owner.key, { id })].map(async (answer) => {
      return ((await answer.json()) as Video).id
    })
    expect(new Set(await Promise.all(ids)).size).toBe(1)
    expect(await tasksOf(owner.user)).toBe(2)
    expect(await errorOf(await extend(stranger.key, { id }))).toMatchObject({ status: 404 })
    expect(await errorOf(await extend(stranger.key, undefined))).toMatchObject({ status: 400, param: 'video' })
  })
})

it('a remix, an edit and a character are refused with the reason, and make nothing', async () => {
  const { client, user } = await openClient()
  const { id } = await create(client, ORDER)
  await finished(client, id)
  const file = await toFile(Buffer.from('film'), 'a.mp4', { type: 'video/mp4' })
  for (const attempt of [
    () => client.videos.remix(id, { prompt: 'In the rain' }),
    () => client.videos.edit({ prompt: 'In the rain', video: { id } }),
    () => client.videos.createCharacter({ name: 'Cat', video: file }),
  ])
    await expect(attempt()).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('No engine here changes a finished video'),
    })
  expect(await tasksOf(user)).toBe(1)
})

describe('a video that is not finished', () => {
  it('has no content yet, and its client is told not to repeat the call', async () => {
    provider.answer = () => ({ kind: 'rendering', percent: 40 })
    const { client, key } = await openClient()
    const { id } = await create(client, ORDER)
    await eventually(async () => {
      const video = await client.videos.retrieve(id)
      expect([video.status, video.progress]).toEqual(['in_progress', 40])
    })
    const content = await call(key, 'GET', `/videos/${id}/content`)
    expect(content.headers.get('x-should-retry')).toBe('false')
    expect(await errorOf(content)).toMatchObject({ status: 409, code: 'video_not_ready' })
    const followed = await call(key, 'GET', `/videos/${id}`)
    expect(followed.headers.get('openai-poll-after-ms')).toBe('2000')
    provider.answer = () => ({ kind: 'finished' })
    await finished(client, id)
  })
})

describe('every answer under /v1', () => {
  it('has the form of the shape, also for unknown paths, methods and bodies', async () => {
    const { key } = await openClient()
    const all = await Promise.all([
      call(key, 'GET', '/none'),
      call(key, 'POST', '/videos/edits', '{}'),
      call(key, 'POST', '/videos/019a0000-0000-7000-8000-000000000000/remix', '{}'),
      call(key, 'PUT', '/videos', '{}'),
      call(key, 'POST', '/videos', 'x', { 'content-type': 'text/plain' }),
      call(key, 'POST', '/videos', '{', { 'content-type': 'application/json' }),
      call(key, 'POST', '/videos', 'x', { 'content-type': 'multipart/form-data; boundary=b' }),
      call('wrong', 'GET', '/models'),
    ])
    const errors = await Promise.all(all.map(errorOf))
    expect(errors.map(({ status, code }) => [status, code])).toEqual([
      ...[
        [404, 'not_found'],
        [404, 'not_found'],
        [404, 'not_found'],
        [405, 'method_not_allowed'],
        [415, 'not_json'],
      ],
      ...[
        [400, 'invalid_json'],
        [400, 'malformed_form'],
        [401, 'invalid_api_key'],
      ],
    ])
    for (const answer of all) expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('has the rate of its key, and may be read by pages of any site', async () => {
    const { key, user } = await openClient()
    const { headers } = await call(key, 'GET', '/models', undefined, { origin: 'https://elsewhere.example' })
    expect(headers.get('ratelimit-policy')).toBe('"key";q=300;w=60')
    expect(headers.get('ratelimit')).toMatch(/^"key";r=29\d;t=\d+$/)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    const preflight = await fetch(`${kinora.url}/v1/videos`, { method: 'OPTIONS' })
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
      204,
      'Authorization, Content-Type, Idempotency-Key, *',
    ])
    // A cookie opens nothing here.
    const answer = await fetch(`${kinora.url}/v1/models`, { headers: { cookie: user.cookie } })
    expect(await errorOf(answer)).toMatchObject({ status: 401, code: 'invalid_api_key', reason: 'missing' })
  })

  it("hides other users' videos as if they did not exist", async () => {
    const [owner, stranger] = [await openClient(), await openClient()]
    const { id } = await create(owner.client, ORDER)
    for (const [method, at] of [
      ['GET', ''],
      ['GET', '/content'],
      ['DELETE', ''],
    ] as const)
      expect(await errorOf(await call(stranger.key, method, `/videos/${id}${at}`))).toMatchObject({
        status: 404,
        param: 'id',
      })
  })
})

it('a key that someone has found is ended by anyone who has it, and its owner is mailed', async () => {
  const { key, user } = await openClient()
  const revoke = async (token: string) => {
    const headers = { 'content-type': 'application/json' }
    return (
      await fetch(`${kinora.url}/v1/keys/revoke`, { method: 'POST', headers, body: JSON.stringify({ token }) })
    ).json()
  }
  expect(await revoke('kin_none')).toEqual({ revoked: false })
  expect(await revoke(key)).toEqual({ revoked: true })
  expect(await errorOf(await call(key, 'GET', '/models'))).toMatchObject({ status: 401, reason: 'ended' })
  await eventually(async () => expect((await kinora.mails(user.email))[0]?.subject).toBe('A Kinora API key was ended'))
})

it('the client is a dependency of tests alone', () => {
  const text = readFileSync(path.join(import.meta.dirname, '../../../package.json'), 'utf8')
  const { dependencies } = JSON.parse(text) as { dependencies: object }
  expect(Object.keys(dependencies)).not.toContain('openai')
})
