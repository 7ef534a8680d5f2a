import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createCanvas } from '@napi-rs/canvas'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createOrigins } from '#backend/kernel/eventsourcing/createOrigins.ts'
import { createHandle } from '#backend/kernel/eventsourcing/handle.ts'
import {
  createMemoryEventStore,
  type MemoryEventStore,
} from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import { createFolderMediaStore } from '#backend/providers/storage/folderMediaStore.ts'
import { anOrder } from '#backend/tasks/testing/anOrder.ts'
import { videoTask } from '#backend/tasks/videoTask.decider.ts'
import { shortDelay } from '../testing/shortDelay.ts'
import { createTaskActivities } from './taskActivities.ts'

const input = { taskId: 'task', userId: 'user' }
const at = '2026-01-01T00:00:00.000Z'
const context = { signal: new AbortController().signal }
const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-pictures-'))
const file = path.join(folder, 'images', 'picture.jpg')
const jpeg = createCanvas(64, 36).toBuffer('image/jpeg')
afterAll(() => rmSync(folder, { recursive: true }))

const media = createFolderMediaStore(folder)
let store: MemoryEventStore
/** Called when the provider is asked about the job, which it has lost. */
let whenAsked: () => void

beforeAll(async () => {
  await writeFile(path.join(folder, 'upload.jpg'), jpeg)
  await media.put('images/picture.jpg', path.join(folder, 'upload.jpg'))
})
beforeEach(async () => {
  store = createMemoryEventStore()
  whenAsked = () => {}
  await writeFile(file, jpeg)
})

/** Submits a task with a first frame, and returns its rendering by a worker. */
async function rendering(size = media.size) {
  const handle = createHandle(store)
  const order = anOrder({ ...input, firstFrame: 'picture' })
  await handle(videoTask, 'task', { type: 'Submit', order, at }, { commandId: 'c', actor: 'user', correlationId: 'c' })
  let asked = 0
  const provider = {
    name: 'demo',
    idempotent: true,
    pollIntervalMs: 1,
    acquire: async () => 0,
    create: async ({ taskId }: { taskId: string }) => ({ kind: 'accepted', jobId: taskId }),
    async state() {
      whenAsked()
      return { kind: asked++ === 0 ? 'unknown' : 'finished' }
    },
  }
  const activities = createTaskActivities({
    handle,
    findOrigin: createOrigins(store),
    providers: new Map([['demo', provider]]),
    media: { ...media, size },
    pictureFile: (imageId: string) => media.localPath(`images/${imageId}.jpg`),
    decrypt: async () => 'a cat',
    clock: () => Date.parse(at),
    delay: shortDelay,
  } as never)
  return activities.render(input, context)
}

const unreadable = (what: string) => ({
  kind: 'failed',
  code: 'image_unreadable',
  detail: `The image picture is ${what}.`,
})
const types = () => store.log.map(({ type }) => type)

it('fails a task whose picture is missing, without asking the provider', async () => {
  rmSync(file)
  expect(await rendering()).toEqual(unreadable('missing'))
  expect(types()).toEqual(['VideoTaskSubmitted'])
})

it.each([
  ['cut', jpeg.subarray(0, jpeg.length - 20)],
  ['empty', Buffer.alloc(0)],
  ['not a picture', Buffer.from('<html>')],
])('fails a task whose picture is %s, without asking the provider', async (_, content) => {
  await writeFile(file, content)
  expect(await rendering()).toEqual(unreadable('damaged'))
  expect(types()).toEqual(['VideoTaskSubmitted'])
})

it('retries a task while the media store is away', async () => {
  rmSync(file)
  const away = rendering(async () => {
    throw new Error('The bucket refused HEAD')
  })
  await expect(away).rejects.toThrow('refused HEAD')
})

it('fails a task whose picture is gone when the provider has lost its job', async () => {
  whenAsked = () => rmSync(file)
  expect(await rendering()).toEqual(unreadable('missing'))
  expect(types().at(-1)).toBe('VideoRenderAccepted')
})
