import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createCanvas } from '@napi-rs/canvas'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type * as z from 'zod/mini'
import { eventually } from '#backend/testing/eventually.ts'
import { ENTITIES, MIGRATIONS } from '../app/schema.ts'
import { connectDatabase } from '../kernel/postgres/connect.ts'
import { openPool } from '../kernel/postgres/openPool.ts'
import { openDatabase } from '../kernel/postgres/orm.ts'
import { query } from '../kernel/postgres/query.ts'
import { createFolderMediaStore } from '../providers/storage/folderMediaStore.ts'
import { createProviderDouble, type ProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../testing/testUser.ts'
import type { Queue, Task } from './contract.ts'
import { createImageUploads } from './uploads/imageUploads.ts'

/** A model that takes every input and setting. */
const ALL_INPUTS = {
  ...{ id: 'all-inputs', names: { en: 'All', zh: '全部' }, descriptions: { en: 'All', zh: '全部' } },
  shapes: [{ taskTypes: ['image_to_video'], resolutions: ['768P'], seconds: [6] }],
  inputs: { firstFrame: true, lastFrame: true, references: 1 },
  ...{ aspectRatios: ['9:16'], sound: true, seed: true, negativePrompt: true },
  routes: [{ provider: 'demo', model: 'all' }],
}
let kinora: TestKinora
let provider: ProviderDouble

beforeAll(async () => {
  provider = await createProviderDouble()
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kinora-works-'))
  mkdirSync(path.join(dataDir, 'models'))
  writeFileSync(path.join(dataDir, 'models/all-inputs.json'), JSON.stringify(ALL_INPUTS))
  kinora = await startTestKinora({ provider, env: { DATA_DIR: dataDir } })
})
afterAll(() => kinora.close())

it('names nothing as missing where the engine draws anything', async () => {
  const user = await kinora.newUser()
  const answer = await user.call('POST', '/videos/understand', { prompt: 'a fox', model: GENERATION.model })
  expect(await answer.json()).toEqual({ words: [], drawn: [], missing: [], enough: true })
})

const json = async <T>(response: Promise<Response>) => (await response).json() as Promise<T>
const generate = async (user: TestUser, over: object = {}) =>
  (await json<{ task: Task }>(user.call('POST', '/videos/generate', { ...GENERATION, ...over }))).task
const finished = (user: TestUser, id: string) =>
  eventually(async () => {
    expect((await json<Task>(user.call('GET', `/videos/tasks/${id}`))).status).toBe('Success')
  })

async function upload(user: TestUser): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([createCanvas(640, 360).toBuffer('image/png') as BlobPart]), 'a.png')
  const headers = { cookie: user.cookie }
  const answer = await fetch(`${kinora.api}/videos/upload-image`, { method: 'POST', headers, body: form })
  return ((await answer.json()) as { image_url: string }).image_url
}

describe("a user's works", () => {
  it('are filtered by mode, model, date and part of the prompt, for their owner only', async () => {
    const [user, other] = await Promise.all([kinora.newUser(), kinora.newUser()])
    const cat = await generate(user, { prompt: 'A CAT on a hill, 夕阳' })
    await finished(user, cat.id)
    const image = { task_type: 'image_to_video', first_frame_image_url: await upload(user) }
    const dog = await generate(user, { ...image, prompt: 'A dog', resolution: '512P' })
    await finished(user, dog.id)
    const day = dog.created_at.slice(0, 10)
    const works = async (query: string, by = user) => {
      const { tasks, total } = await json<{ tasks: Task[]; total: number }>(by.call('GET', `/videos/my-works?${query}`))
      return [total, ...tasks.map(({ id }) => (id === cat.id ? 'cat' : 'dog'))]
    }
    expect(await works('')).toEqual([2, 'dog', 'cat'])
    expect(await works('', other)).toEqual([0])
    expect(await works('page=2&per_page=1')).toEqual([2, 'cat'])
    expect(await works('task_type=image_to_video')).toEqual([1, 'dog'])
    expect(await works('model=T2V-01-Director')).toEqual([0])
    expect(await works('q=cat')).toEqual([1, 'cat'])
    expect(await works(`q=${encodeURIComponent('夕阳')}`)).toEqual([1, 'cat'])
    expect(await works('q=a&page=2&per_page=1')).toEqual([2, 'cat'])
    expect(await works('q=a&model=MiniMax-Hailuo-02&task_type=text_to_video')).toEqual([1, 'cat'])
    expect(await works(`from=${day}&to=${day}`)).toEqual([2, 'dog', 'cat'])
    expect(await works(`from=${dog.created_at}`)).toEqual([1, 'dog'])
    expect(await works(`to=${cat.created_at}`)).toEqual([1, 'cat'])
    expect(await works('from=2999-01-01')).toEqual([0])
  })

  it('reject an invalid filter', async () => {
    const user = await kinora.newUser()
    for (const query of ['from=yesterday', 'to=2026-02-31', 'model=x', 'task_type=x', 'page=0', `q=${'x'.repeat(201)}`])
      expect([query, (await user.call('GET', `/videos/my-works?${query}`)).status]).toEqual([query, 422])
  })
})

describe('the queue', () => {
  const queue = (user: TestUser) => json<z.infer<typeof Queue>>(user.call('GET', '/videos/queue'))

  it("returns the position and the estimated time of each of the user's tasks", async () => {
    provider.answer = () => ({ kind: 'rendering', percent: 5 })
    const user = await kinora.newUser()
    const [first, second] = [await generate(user), await generate(user)]
    await expect
      .poll(async () => (await queue(user)).tasks)
      .toEqual([
        { id: first!.id, position: null, seconds_left: expect.any(Number) },
        { id: second!.id, position: 1, seconds_left: expect.any(Number) },
      ])
    const { tasks, ...rest } = await queue(user)
    expect(rest).toEqual({ global_queue: 1, user_queue_position: 1, user_in_progress: 2, user_limit: 2 })
    // The Free plan renders one task at a time.
    expect(tasks[1]!.seconds_left).toBeGreaterThanOrEqual(tasks[0]!.seconds_left)
    provider.answer = () => ({ kind: 'finished' })
    for (const { id } of tasks) await finished(user, id)
    expect((await queue(user)).tasks).toEqual([])
  })
})

it('gives a task without a seed one of its own, which is shown and can be used again', async () => {
  const user = await kinora.newUser()
  const picture = await upload(user)
  const order = { task_type: 'image_to_video', first_frame_image_url: picture, model: 'all-inputs' }
  const first = await generate(user, order)
  expect(first.seed).toEqual(expect.any(Number))
  expect(await generate(user, { ...order, seed: first.seed })).toMatchObject({ seed: first.seed })
})

describe('an uploaded picture', () => {
  it('is removed when no task has used it for a day', async () => {
    const user = await kinora.newUser()
    const pictures: string[] = []
    while (pictures.length < 5) pictures.push(await upload(user))
    const [first, last, reference, idle, fresh] = pictures
    const settings = {
      ...{ task_type: 'image_to_video', first_frame_image_url: first, last_frame_image_url: last, model: 'all-inputs' },
      ...{ reference_image_urls: [reference], aspect_ratio: '9:16', seed: 7, negative_prompt: 'rain', sound: false },
    }
    const task = await generate(user, settings)
    expect(task).toMatchObject(settings)
    await finished(user, task.id)
    expect(await json(user.call('GET', `/videos/tasks/${task.id}`))).toMatchObject(settings)
    const { connection } = await connectDatabase({ databaseUrl: undefined, dataDir: kinora.dataDir }, () => {})
    const database = await openDatabase(connection, ENTITIES, MIGRATIONS)
    const pool = openPool({ ...connection, max: 1 })
    const id = (url: string | undefined) => url!.split('/').at(-1)!
    await pool.query(
      `update image_upload set created_at = now() - interval '25 hours', used_at = null where id = any($1)`,
      [[first, last, reference, idle].map(id)],
    )
    const media = createFolderMediaStore(path.join(kinora.dataDir, 'media'))
    const uploads = createImageUploads(database, media, kinora.dataDir)
    expect([await uploads.removeUnused(), await uploads.removeUnused()]).toEqual([1, 0])
    const there = readdirSync(path.join(kinora.dataDir, 'media/images')).map((name) => name.slice(0, -4))
    expect([first, last, reference, idle, fresh].map((url) => there.includes(id(url)))).toEqual([
      ...[true, true, true, false, true],
    ])
    const again = await user.call('POST', '/videos/generate', {
      ...GENERATION,
      task_type: 'image_to_video',
      first_frame_image_url: idle,
    })
    expect([again.status, await again.json()]).toMatchObject([422, { errors: [{ code: 'unknown_image' }] }])
    await pool.end()
    await database.close()
  })

  it('is removed in transactions of few pictures, which a slow bucket cannot let time out', async () => {
    const { connection } = await connectDatabase({ databaseUrl: undefined, dataDir: kinora.dataDir }, () => {})
    const database = await openDatabase({ ...connection, application_name: 'remover' }, ENTITIES, MIGRATIONS)
    const open = `select xact_start::text as begun from pg_stat_activity
      where application_name = 'remover' and state like 'idle in transaction%'`
    const transactions = new Map<string, number>()
    const removed = new Set<string>()
    const media = {
      ...createFolderMediaStore(path.join(kinora.dataDir, 'media')),
      async remove(key: string) {
        for (const { begun } of (await kinora.context.pool.query<{ begun: string }>(open)).rows)
          transactions.set(begun, (transactions.get(begun) ?? 0) + 1)
        removed.add(key)
      },
    }
    await query(
      database,
      `insert into image_upload (id, user_id, created_at, bytes)
       select gen_random_uuid(), gen_random_uuid(), now() - interval '25 hours', 1 from generate_series(1, 50)`,
    )
    expect(await createImageUploads(database, media, kinora.dataDir).removeUnused()).toBe(50)
    expect([...removed].filter((key) => key.startsWith('images/'))).toHaveLength(50)
    // Twenty pictures at a time, each with its marked copy.
    expect([...transactions.values()].toSorted((a, b) => b - a)).toEqual([40, 40, 20])
    await database.close()
  })

  it('leaves no temporary file behind when the bucket refuses it', async () => {
    const temporaryDir = mkdtempSync(path.join(os.tmpdir(), 'kinora-refused-'))
    const put = () => Promise.reject(new Error('the bucket is full'))
    const media = { ...createFolderMediaStore(temporaryDir), put }
    const uploads = createImageUploads(kinora.context.database, media, temporaryDir)
    const { userId } = await kinora.newUser()
    await expect(uploads.store(userId, Buffer.from('a picture'))).rejects.toThrow('the bucket is full')
    expect(readdirSync(temporaryDir)).toEqual([])
    rmSync(temporaryDir, { recursive: true })
  })
})
