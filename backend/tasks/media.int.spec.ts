import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { createCanvas, loadImage } from '@napi-rs/canvas'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { judge, readAigc, VALID } from '../kernel/media/marks/testing/readMarks.ts'
import { probeMp4 } from '../kernel/media/probeMp4.ts'
import { createProviderDouble, type ProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../testing/testUser.ts'
import type { Task } from './contract.ts'
import type { VideoTaskEvent } from './events.ts'

let kinora: TestKinora
let provider: ProviderDouble
let owner: TestUser
let other: TestUser
let task: Task
let image: string

const picture = (width: number, height: number, type: 'jpeg' | 'png' = 'png') => {
  const canvas = createCanvas(width, height)
  canvas.getContext('2d').fillRect(0, 0, width / 2, height / 2)
  return type === 'png' ? canvas.toBuffer('image/png') : canvas.toBuffer('image/jpeg')
}
async function upload(user: TestUser, bytes: Uint8Array | undefined, field = 'file', name = 'a.png') {
  const form = new FormData()
  if (bytes) form.append(field, new Blob([Buffer.from(bytes)]), name)
  else form.append('note', 'nothing')
  const encoded = new Response(form)
  const headers = { cookie: user.cookie, 'content-type': encoded.headers.get('content-type')! }
  const body = await encoded.arrayBuffer()
  return fetch(`${kinora.api}/videos/upload-image`, { method: 'POST', headers, body })
}
const outcome = async (answer: Response) => [answer.status, ((await answer.json()) as { code?: string }).code]
const temporaryFiles = () => readdirSync(kinora.context.temporaryDir)

beforeAll(async () => {
  provider = await createProviderDouble()
  kinora = await startTestKinora({ provider })
  owner = await kinora.newUser()
  other = await kinora.newUser()
  image = ((await (await upload(owner, picture(640, 360))).json()) as { image_url: string }).image_url
  const body = { ...GENERATION, task_type: 'image_to_video', prompt: '猫 "on" a\nhill/…', first_frame_image_url: image }
  task = ((await (await owner.call('POST', '/videos/generate', body)).json()) as { task: Task }).task
  await eventually(async () => {
    task = (await (await owner.call('GET', `/videos/tasks/${task.id}`)).json()) as Task
    expect(task.status).toBe('Success')
  })
})
afterAll(() => kinora.close())

const at = (url: string, by: TestUser | undefined, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(kinora.url + url, { method, headers: { ...(by && { cookie: by.cookie }), ...headers } })
/** Bytes of the video that its owner sees on the Free plan. */
const markedSize = () => statSync(path.join(kinora.dataDir, 'media/watermarked', `${task.id}.mp4`)).size
const urls = () => [task.video_url!, task.thumbnail_url!, `/api/v1/videos/download/${task.id}`, image]

describe('the last frame of a video', () => {
  const lastFrame = (by: TestUser, id = task.id) => by.call('POST', `/videos/tasks/${id}/last-frame`)

  it('becomes an image of the owner, in the size of the video, which starts another video', async () => {
    const answer = await lastFrame(owner)
    expect(answer.status).toBe(201)
    const { image_url } = (await answer.json()) as { image_url: string }
    const frame = await at(image_url, owner)
    expect(frame.headers.get('content-type')).toBe('image/jpeg')
    const { width, height } = await loadImage(Buffer.from(await frame.arrayBuffer()))
    const video = await probeMp4(await kinora.context.media.localPath(`videos/${task.id}.mp4`))
    expect([width, height]).toEqual([video.width, video.height])
    expect((await at(image_url, other)).status).toBe(403)
    const body = { ...GENERATION, task_type: 'image_to_video', first_frame_image_url: image_url }
    expect((await other.call('POST', '/videos/generate', body)).status).toBe(422)
    expect(temporaryFiles()).toEqual([])
  })

  it('is refused to others and without a video', async () => {
    expect((await lastFrame(other)).status).toBe(403)
    expect((await lastFrame(owner, '019a0000-0000-7000-8000-000000000000')).status).toBe(404)
  })
})

describe('a media file', () => {
  it('is served to its owner only', async () => {
    const [own, others, strangers] = await Promise.all(
      [owner, other, undefined].map((by) => Promise.all(urls().map(async (url) => (await at(url, by)).status))),
    )
    expect([own, others, strangers]).toEqual([Array(4).fill(200), Array(4).fill(403), Array(4).fill(401)])
  })

  it('has its content type and is not stored in shared caches', async () => {
    const answers = await Promise.all(urls().map((url) => at(url, owner)))
    const names = ['content-type', 'accept-ranges', 'cache-control', 'x-content-type-options']
    const files = ['video/mp4', 'image/jpeg', 'video/mp4', 'image/jpeg']
    expect(answers.map(({ headers }) => names.map((name) => headers.get(name)))).toEqual(
      files.map((type) => [type, 'bytes', 'private, no-cache', 'nosniff']),
    )
    await Promise.all(answers.map((answer) => answer.arrayBuffer()))
  })

  it('is marked, and the log has the hash of the marked file', async () => {
    const video = readFileSync(path.join(kinora.dataDir, 'media/videos', `${task.id}.mp4`))
    const poster = await (await at(task.thumbnail_url!, owner)).arrayBuffer()
    expect(await judge(video, 'video/mp4')).toMatchObject({
      ...{ ...VALID, actions: ['c2pa.created'], sources: ['algorithmicMedia'], agents: ['Kinora demo'] },
    })
    expect(await judge(Buffer.from(poster), 'image/jpeg')).toMatchObject({ ...VALID, manifests: 2 })
    const stored = path.join(kinora.dataDir, 'media/videos', `${task.id}.mp4`)
    expect(await readAigc(stored)).toMatchObject({ Label: '1', ContentProducer: 'Kinora', ProduceID: task.id })
    const events = await Array.fromAsync(kinora.context.store.readStream<VideoTaskEvent>(`videoTask-${task.id}`))
    const succeeded = events.find(({ type }) => type === 'VideoTaskSucceeded')
    const sha256 = createHash('sha256').update(video).digest('hex')
    expect(succeeded?.data).toMatchObject({ file: { sha256, size: video.length } })
  })

  it('is served in the requested ranges', async () => {
    const size = markedSize()
    const whole = Buffer.from(await (await at(task.video_url!, owner)).arrayBuffer())
    const ranges: [string, number, number][] = [
      ['bytes=0-0', 0, 0],
      ['bytes=0-99', 0, 99],
      ['bytes=100-', 100, size - 1],
      ['bytes=-10', size - 10, size - 1],
      [`bytes=-${size + 10}`, 0, size - 1],
      [`bytes=${size - 1}-${size + 99}`, size - 1, size - 1],
    ]
    for (const [range, start, end] of ranges) {
      const answer = await at(task.video_url!, owner, { range })
      const told = [answer.status, answer.headers.get('content-range'), answer.headers.get('content-length')]
      expect([range, ...told]).toEqual([range, 206, `bytes ${start}-${end}/${size}`, `${end - start + 1}`])
      expect(Buffer.from(await answer.arrayBuffer()).equals(whole.subarray(start, end + 1))).toBe(true)
    }
  })

  it('is not sent again to a client that has it', async () => {
    for (const url of urls()) {
      const first = await at(url, owner)
      await first.arrayBuffer()
      const known = `"other", ${first.headers.get('etag')}`
      // fetch sends no-cache by default.
      const again = await at(url, owner, { 'if-none-match': known, 'cache-control': 'max-age=0' })
      expect([again.status, await again.text()]).toEqual([304, ''])
      expect(again.headers.get('cache-control')).toBe(first.headers.get('cache-control'))
    }
  })

  it('is sent whole instead of a range of another copy', async () => {
    const [preview, download] = [task.video_url!, `/api/v1/videos/download/${task.id}?label=true`]
    const { headers } = await at(preview, owner)
    const range = { range: 'bytes=5-9', 'if-range': headers.get('etag') ?? '"unknown"' }
    expect((await at(preview, owner, range)).status).toBe(206)
    expect((await at(download, owner, range)).status).toBe(200)
  })

  it('is served whole for an unsupported range', async () => {
    for (const range of ['bytes=0-1,5-6', 'lines=1-2', 'bytes=-', 'bytes=a-b'])
      expect((await at(task.video_url!, owner, { range })).status).toBe(200)
  })

  it('answers 416 with its length for a range beyond its end', async () => {
    for (const range of [`bytes=${markedSize()}-`, 'bytes=-0', 'bytes=5-2']) {
      const answer = await at(task.video_url!, owner, { range })
      expect(answer.headers.get('content-range')).toBe(`bytes */${markedSize()}`)
      expect(await outcome(answer)).toEqual([416, 'range_not_satisfiable'])
    }
  })

  it('answers HEAD without a body', async () => {
    const whole = await at(task.video_url!, owner, {}, 'HEAD')
    const part = await at(task.video_url!, owner, { range: 'bytes=0-9' }, 'HEAD')
    expect([whole.status, whole.headers.get('content-length'), await whole.text()]).toEqual([
      200,
      `${markedSize()}`,
      '',
    ])
    expect([part.status, part.headers.get('content-length'), await part.text()]).toEqual([206, '10', ''])
    expect((await at(task.video_url!, other, {}, 'HEAD')).status).toBe(403)
  })

  it('is downloaded with a watermark on the Free plan, named after the prompt', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => at(`/api/v1/videos/download/${task.id}`, owner)))
    expect(answers[0]!.headers.get('content-disposition')).toBe(
      `attachment; filename="_  on  a hill _.mp4"; filename*=UTF-8''${encodeURIComponent('猫  on  a hill …')}.mp4`,
    )
    const files = await Promise.all(answers.map(async (answer) => Buffer.from(await answer.arrayBuffer())))
    expect(files.every((file) => file.equals(files[0]!))).toBe(true)
    const [plain, marked] = ['videos', 'watermarked'].map((kind) =>
      path.join(kinora.dataDir, 'media', kind, `${task.id}.mp4`),
    )
    const [before, after] = [await probeMp4(plain!), await probeMp4(marked!)]
    expect(files[0]!.length).toBe(after.size)
    expect([after.width, after.height, after.frames]).toEqual([before.width, before.height, before.frames])
  })

  it('does not exist before the video is finished or after it is deleted', async () => {
    const user = await kinora.newUser()
    provider.answer = () => ({ kind: 'rendering', percent: 1 })
    const { task: made } = (await (await user.call('POST', '/videos/generate', GENERATION)).json()) as { task: Task }
    const media = ['preview', 'thumbnail', 'download'].map((kind) => `/videos/${kind}/${made.id}`)
    const statuses = () => Promise.all(media.map(async (url) => (await user.call('GET', url)).status))
    expect([made.video_url, made.thumbnail_url, await statuses()]).toEqual([null, null, [404, 404, 404]])
    provider.answer = () => ({ kind: 'finished' })
    await eventually(async () => expect(await statuses()).toEqual([200, 200, 200]))
    await user.call('DELETE', `/videos/tasks/${made.id}`)
    expect(await statuses()).toEqual([404, 404, 404])
    const files = () =>
      ['videos', 'posters', 'watermarked'].flatMap((kind) => readdirSync(path.join(kinora.dataDir, 'media', kind)))
    await eventually(() => expect(files().join()).not.toContain(made.id))
  })
})

describe('uploading a picture', () => {
  it('accepts PNG and JPEG and serves a JPEG of the same size', async () => {
    for (const type of ['png', 'jpeg'] as const) {
      const answer = await upload(owner, picture(400, 320, type))
      const { image_url } = (await answer.json()) as { image_url: string }
      expect([answer.status, image_url]).toEqual([
        200,
        expect.stringMatching(/^\/api\/v1\/videos\/images\/[0-9a-f-]{36}$/),
      ])
      const bytes = Buffer.from(await (await at(image_url, owner)).arrayBuffer())
      expect(bytes.subarray(0, 2).toString('hex')).toBe('ffd8')
    }
  })
  it.each([
    ['a text', () => Buffer.from('GIF89a, or so it says'), 'invalid_file_type'],
    ['a picture that is cut short', () => picture(640, 360).subarray(0, -20), 'image_damaged'],
    ['a small picture', () => picture(640, 300), 'image_too_small'],
    ['a narrow picture', () => picture(1000, 350), 'image_aspect_ratio'],
  ])('refuses %s by its code', async (_, bytes, code) => {
    const answer = await upload(owner, bytes())
    expect([answer.status, await answer.json()]).toMatchObject([422, { code, errors: [{ path: 'file', code }] }])
  })
  it('rejects a body without a file, with an empty file or with another field name', async () => {
    const required = [422, 'invalid_input']
    expect(await outcome(await upload(owner, undefined))).toEqual(required)
    expect(await outcome(await upload(owner, picture(640, 360), 'picture'))).toEqual(required)
    expect((await upload(owner, Buffer.alloc(0))).status).toBe(422)
    expect(await outcome(await owner.call('POST', '/videos/upload-image', { file: 'x' }))).toEqual(required)
  })
  it('rejects more than 20 MB with an error that the client receives', async () => {
    const answer = await upload(owner, Buffer.alloc(21 * 1024 * 1024))
    expect(await outcome(answer)).toEqual([413, 'payload_too_large'])
  })
  it('runs one upload of a user at a time, and says when to try again', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => upload(owner, picture(640, 360))))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 429, 429])
    const refused = answers.find(({ status }) => status === 429)!
    expect([refused.headers.get('retry-after'), refused.headers.get('content-type')]).toEqual([
      '2',
      'application/problem+json',
    ])
    expect(await refused.json()).toMatchObject({ code: 'upload_running' })
  })
  it('requires a signed-in user', async () => {
    const answer = await fetch(`${kinora.api}/videos/upload-image`, { method: 'POST', body: new FormData() })
    expect(await outcome(answer)).toEqual([401, 'unauthenticated'])
  })
  it('leaves no temporary files behind', () => {
    expect(temporaryFiles()).toEqual([])
  })
  it("rejects another user's picture as a first frame", async () => {
    const body = { ...GENERATION, task_type: 'image_to_video', first_frame_image_url: image }
    const foreign = await other.call('POST', '/videos/generate', body)
    const nowhere = await other.call('POST', '/videos/generate', {
      ...body,
      first_frame_image_url: `/api/v1/videos/images/${'-'.repeat(36)}`,
    })
    for (const answer of [foreign, nowhere])
      expect([answer.status, await answer.json()]).toMatchObject([
        422,
        { errors: [{ path: 'first_frame_image_url', code: 'unknown_image' }] },
      ])
  })
})
