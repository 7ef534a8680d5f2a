import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'
import OpenAI, { APIError, toFile } from 'openai'

/** A server that claims to speak `/v1/videos`. */
export interface Target {
  /** Address that ends in `/v1`. */
  readonly url: string
  readonly key: string
  readonly model: string
  /** Length and size of the ordered videos; by default those that the server chooses. */
  readonly seconds?: string | undefined
  readonly size?: string | undefined
}

/** What came of a case. A server need not offer everything: `skipped` says what it does not. */
export interface Outcome {
  readonly name: string
  readonly result: 'passed' | 'failed' | 'skipped'
  readonly reason?: string
}

/** The server does not offer this, and says so properly. */
class NotOffered extends Error {}

const STATUSES = ['queued', 'in_progress', 'completed', 'failed']
const POLL_MS = 250
const RENDERED_MS = 30 * 60_000
const UNKNOWN_ID = '019a0000-0000-7000-8000-000000000000'
/** A white picture of 640 × 360 pixels, as a PNG. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAoAAAAFoAQAAAADvSXf8AAAAfklEQVR42u3MMQ0AAAwDoPo33ZrYswQEkB6LUCgUCoVCoVAoFAqFQqFQKBQKhUKhUCgUCoVCoVAoFAqFQqFQKBQKhUKhUCgUCoVCoVAoFAqFQqFQKBQKhUKhUCgUCoVCoVAoFAqFQqFQKBQKhUKhUCgUCoVCoVAoFAqFQuHPcELPFhGVGrCRAAAAAElFTkSuQmCC',
  'base64',
)

type Json = Readonly<Record<string, unknown>>

/** Opens the official client, which repeats nothing by itself here. */
function openSession({ url, key, model, seconds, size }: Target) {
  const client = new OpenAI({ apiKey: key, baseURL: url, maxRetries: 0 })
  const order = { model, ...(seconds && { seconds }), ...(size && { size }) }
  const create = (fields: object, headers: Record<string, string> = {}) =>
    client.videos.create({ ...order, ...fields } as never, { headers }) as unknown as Promise<Json & { id: string }>
  const send = async (method: string, path: string, body?: BodyInit, headers: Record<string, string> = {}) => {
    const init = { method, headers: { authorization: `Bearer ${key}`, ...headers }, ...(body && { body }) }
    return fetch(url + path, init)
  }
  const sendJson = (fields: object, headers: Record<string, string> = {}) =>
    send('POST', '/videos', JSON.stringify(fields), { 'content-type': 'application/json', ...headers })
  /** Waits until a video has ended well. Returns every state that was seen. */
  const follow = async (id: string) => {
    const seen: Json[] = []
    for (let waited = 0; waited < RENDERED_MS; waited += POLL_MS) {
      const video = (await client.videos.retrieve(id)) as unknown as Json
      seen.push(video)
      assert.ok(STATUSES.includes(String(video.status)), `the status is ${video.status}`)
      assert.notEqual(video.status, 'failed', JSON.stringify(video.error))
      if (video.status === 'completed') return seen
      await delay(POLL_MS)
    }
    throw new Error('the video was not finished in half an hour')
  }
  const made = remembered(() => create({ prompt: 'A cat on a hill' }))
  const finished = remembered(async () => {
    const { id } = await made()
    return { id, seen: await follow(id) }
  })
  return { client, order, create, send, sendJson, follow, made, finished }
}

type Session = ReturnType<typeof openSession>

/** Makes a function that does its work once. */
function remembered<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= work()
    return result
  }
}

/** Returns the error of a call that must be refused. */
async function refusal(call: Promise<unknown>): Promise<APIError> {
  const error = await call.then(
    () => assert.fail('it was accepted'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof APIError, String(error))
  return error
}

const isWhole = (value: unknown, least: number, most: number) =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most

/** Asserts what every client reads of a video. */
function assertVideo(video: Json, { model }: { readonly model: string }): void {
  assert.equal(typeof video.id, 'string', 'id')
  assert.equal(video.object, 'video')
  assert.ok(STATUSES.includes(String(video.status)), `the status is ${video.status}`)
  assert.ok(isWhole(video.progress, 0, 100), `the progress is ${video.progress}`)
  assert.ok(isWhole(video.created_at, 1, 2 ** 40), `created_at is ${video.created_at}`)
  assert.equal(video.model, model)
  assert.equal(typeof video.seconds, 'string', 'seconds is no text')
  assert.equal(video.error ?? null, null)
}

const FIELDS = ['completed_at', 'expires_at', 'prompt', 'size', 'remixed_from_video_id', 'error']

/** Cases by their names, in their order. Some need what an earlier one has made. */
const CASES: Readonly<Record<string, (session: Session, target: Target) => Promise<unknown>>> = {
  async 'lists its models'({ client }, { model }) {
    const { data } = await client.models.list()
    const found = data.find(({ id }) => id === model)
    assert.ok(found, `there is no ${model} among ${data.map(({ id }) => id).join(', ')}`)
    assert.equal(found.object, 'model')
  },

  async 'creates a video by a form'({ made }, target) {
    assertVideo(await made(), target)
  },

  async 'sends every field of a video, also those that are null'({ made }) {
    const video = await made()
    assert.deepEqual(
      FIELDS.filter((name) => !(name in video)),
      [],
    )
  },

  async 'has no film before its end, and says so without 5xx'({ made, send, client }) {
    const { id } = await made()
    const answer = await send('GET', `/videos/${id}/content`)
    await answer.arrayBuffer()
    const { status } = await client.videos.retrieve(id)
    if (answer.ok && status === 'completed') throw new NotOffered('the video was finished already')
    assert.ok(answer.status >= 400 && answer.status < 500, `the status is ${answer.status}`)
  },

  async 'follows a video to its end, and progress never goes back'({ finished }, target) {
    const { seen } = await finished()
    for (const video of seen) assertVideo(video, target)
    const progress = seen.map((video) => Number(video.progress))
    assert.deepEqual(
      progress,
      progress.toSorted((a, b) => a - b),
    )
    assert.equal(progress.at(-1), 100)
    assert.ok(isWhole(seen.at(-1)?.completed_at, 1, 2 ** 40), 'completed_at')
  },

  async 'serves the film'({ finished, client }) {
    const { id } = await finished()
    const answer = await client.videos.downloadContent(id)
    assert.match(answer.headers.get('content-type') ?? '', /^video\//)
    assert.equal(Buffer.from(await answer.arrayBuffer()).toString('latin1', 4, 8), 'ftyp')
  },

  async 'serves a range of the film'({ finished, send }) {
    const { id } = await finished()
    const answer = await send('GET', `/videos/${id}/content`, undefined, { range: 'bytes=4-7' })
    const part = Buffer.from(await answer.arrayBuffer())
    if (answer.status === 200) throw new NotOffered('ranges')
    assert.deepEqual([answer.status, part.toString('latin1')], [206, 'ftyp'])
  },

  async 'serves the still'({ finished, send }) {
    const { id } = await finished()
    const answer = await send('GET', `/videos/${id}/content?variant=thumbnail`)
    await answer.arrayBuffer()
    const type = answer.headers.get('content-type') ?? ''
    if (!answer.ok || type.startsWith('video/')) throw new NotOffered(`stills: ${answer.status} ${type}`)
    assert.match(type, /^image\//)
  },

  async 'creates a video by JSON, with a length in digits'({ sendJson, order, follow }, target) {
    const seconds = order.seconds === undefined ? {} : { seconds: Number(order.seconds) }
    const answer = await sendJson({ ...order, ...seconds, prompt: 'A dog on a hill' })
    const video = (await answer.json()) as Json
    assert.equal(answer.status, 200, JSON.stringify(video))
    assertVideo(video, target)
    await follow(String(video.id))
  },

  async 'lists videos by pages in both orders'({ client, finished, create, follow }) {
    const { id: older } = await finished()
    const { id: newer } = await create({ prompt: 'A fox on a hill' })
    await follow(newer)
    const seen: string[] = []
    for await (const { id } of client.videos.list({ limit: 1 })) {
      assert.ok(!seen.includes(id), `${id} is in two pages`)
      seen.push(id)
      if (id === older) break
    }
    assert.equal(seen[0], newer)
    assert.equal(seen.at(-1), older)
    const upwards = await client.videos.list({ limit: 1, order: 'asc', after: older })
    assert.equal(upwards.data[0]?.id, seen.at(-2))
  },

  async 'refuses a wrong key with 401'({ client }) {
    const other = client.withOptions({ apiKey: 'wrong' })
    const { status } = await refusal(other.models.list())
    assert.equal(status, 401)
  },

  async 'answers 404 for a video that does not exist'({ client }) {
    for (const call of ['retrieve', 'delete'] as const)
      assert.equal((await refusal(client.videos[call](UNKNOWN_ID))).status, 404)
  },

  async 'refuses an order without a prompt, or with a wrong length or size, with 400 and the field'({ create }) {
    const wrong = { prompt: '', seconds: 'long', size: 'large' }
    for (const [param, value] of Object.entries(wrong)) {
      const error = await refusal(create({ prompt: 'A cat', [param]: value }))
      assert.deepEqual([error.status, error.param], [400, param])
    }
  },

  async 'has one form for errors'({ send, sendJson }) {
    const form = { 'content-type': 'multipart/form-data; boundary=b' }
    const all = [
      await send('GET', '/none'),
      await send('PUT', '/videos'),
      await send('GET', `/videos/${UNKNOWN_ID}`),
      await send('POST', '/videos', '{', { 'content-type': 'application/json' }),
      await send('POST', '/videos', 'x', form),
      await sendJson([]),
      await sendJson({ model: 7, prompt: {}, seconds: [], size: true }),
    ]
    for (const answer of all) {
      const { error } = (await answer.json()) as { error?: Json }
      assert.ok(answer.status >= 400 && answer.status < 500, `${answer.url} answered ${answer.status}`)
      assert.deepEqual([typeof error?.message, typeof error?.type], ['string', 'string'])
      assert.ok(error && 'param' in error && 'code' in error, `${answer.url}: no param or code`)
    }
  },

  async 'takes a picture as a file and as a data: address'({ create, client }) {
    const file = await toFile(PICTURE, 'a.png', { type: 'image/png' })
    const address = { image_url: `data:image/png;base64,${PICTURE.toString('base64')}` }
    for (const input_reference of [file, address]) {
      const { id } = await create({ prompt: 'It comes alive', input_reference }).catch((error) => {
        throw error.status === 400 ? new NotOffered(`pictures: ${error.message}`) : error
      })
      await client.videos.delete(id).catch((error) => assert.equal(error.status, 409))
    }
  },

  async 'makes one video for one Idempotency-Key'({ create, follow }) {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const order = { prompt: 'An owl on a hill' }
    const { id } = await create(order, headers)
    const again = await create(order, headers)
    await follow(id)
    if (again.id !== id) throw new NotOffered('the header')
    const { status } = await refusal(create({ prompt: 'A bat on a hill' }, headers))
    assert.equal(status, 422)
  },

  async 'makes one video if the client says that it repeats itself'({ create, follow }) {
    const order = { prompt: `A hare on a hill, ${crypto.randomUUID()}` }
    const { id } = await create(order)
    const again = await create(order, { 'X-Stainless-Retry-Count': '1' })
    await follow(id)
    if (again.id !== id) throw new NotOffered('this')
  },

  async 'remixes a video, or answers 404'({ client, finished }) {
    const { id } = await finished()
    const outcome = await client.videos.remix(id, { prompt: 'In the rain' }).catch((error) => error)
    if (outcome instanceof APIError && outcome.status === 404) throw new NotOffered(outcome.message)
    if (outcome instanceof Error) throw outcome
    assert.equal(outcome.remixed_from_video_id, id)
  },

  async 'deletes a video'({ client, finished }) {
    const { id } = await finished()
    assert.deepEqual(await client.videos.delete(id), { id, object: 'video.deleted', deleted: true })
    assert.equal((await refusal(client.videos.retrieve(id))).status, 404)
  },
}

/** Returns one line: what was found, where the assertion itself does not say it. */
function reasonOf(error: Error): string {
  const { message } = error
  if (!(error instanceof assert.AssertionError && error.generatedMessage)) return message.split('\n')[0] ?? ''
  const text = (value: unknown) => inspect(value, { breakLength: Number.POSITIVE_INFINITY })
  return `expected ${text(error.expected)}, got ${text(error.actual)}`
}

/** Runs every case against a server, in their order. It orders about eight videos there. */
export async function* runCases(target: Target): AsyncGenerator<Outcome> {
  const session = openSession(target)
  for (const [name, run] of Object.entries(CASES)) {
    try {
      await run(session, target)
      yield { name, result: 'passed' }
    } catch (error) {
      yield { name, result: error instanceof NotOffered ? 'skipped' : 'failed', reason: reasonOf(error as Error) }
    }
  }
}
