import { readFile, unlink } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { verify } from '../../audit/verify.ts'
import { judge, readAigc, VALID } from '../../kernel/media/marks/testing/readMarks.ts'
import { videoKey } from '../../kernel/media/mediaStore.port.ts'
import { probeMp4 } from '../../kernel/media/probeMp4.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../../testing/testUser.ts'
import type { Task } from '../contract.ts'

let kinora: TestKinora
let ada: TestUser
let eve: TestUser
/** Films of Ada, of one second each. */
let films: readonly string[]

beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
  ada = await kinora.newUser()
  eve = await kinora.newUser()
  films = [await film(ada), await film(ada)]
})
afterAll(() => kinora.close())

const taskOf = async (user: TestUser, id: string) =>
  (await (await user.call('GET', `/videos/tasks/${id}`)).json()) as Task
const ended = (user: TestUser, id: string, status: Task['status'] = 'Success') =>
  eventually(async () => {
    const task = await taskOf(user, id)
    expect(task.status).toBe(status)
    return task
  })

async function film(user: TestUser): Promise<string> {
  const { task } = (await (await user.call('POST', '/videos/generate', GENERATION)).json()) as { task: Task }
  return (await ended(user, task.id)).id
}

const join = (user: TestUser, ids: readonly string[], more: object = {}) =>
  user.call('POST', '/videos/join', { clips: ids.map((id) => ({ id })), title: 'Two cats', ...more })
async function joined(user: TestUser, ids: readonly string[], more: object = {}): Promise<Task> {
  const answer = await join(user, ids, more)
  expect(answer.status).toBe(202)
  return ended(user, ((await answer.json()) as { task: Task }).task.id)
}
const fileOf = (id: string) => path.join(kinora.dataDir, 'media', videoKey(id))

describe('a joined film', () => {
  it('is a film of the library: free, marked, signed with its parts as ingredients, and with a lineage', async () => {
    const balance = async () => (await ada.call('GET', '/subscriptions/stats')).json()
    const before = await balance()
    const [first, second] = films as [string, string]
    const task = await joined(ada, [first, second, first], { fade: 0.25, title: ' Two\u202e cats\u0000\n again ' })
    expect(task).toMatchObject({
      ...{ task_type: 'join', engine: 'join', prompt: 'Two cats again', credits_consumed: 0, duration: 3 },
      made_from: [
        { id: first, how: 'join', start: 0, end: 1 },
        { id: second, how: 'join', start: 0, end: 1 },
        { id: first, how: 'join', start: 0, end: 1 },
      ],
    })
    expect(task.video_duration).toBeCloseTo(2.5)
    expect(await balance()).toEqual(before)
    expect(await probeMp4(fileOf(task.id))).toMatchObject({ width: 128, height: 72, frames: 60 })
    const judged = await judge(await readFile(fileOf(task.id)), 'video/mp4')
    expect(judged).toMatchObject({ ...VALID, actions: ['c2pa.created', 'c2pa.placed', 'c2pa.placed'], manifests: 3 })
    expect(await readAigc(fileOf(task.id))).toMatchObject({ Label: '1', ProduceID: expect.stringContaining(task.id) })
    const works = (await (await ada.call('GET', '/videos/my-works?task_type=join')).json()) as { tasks: Task[] }
    expect(works.tasks.map(({ id }) => id)).toContain(task.id)
    expect(works.tasks.map(({ task_type }) => task_type)).not.toContain('text_to_video')
  })

  it('is in the family of its clips, with what else was made of them', async () => {
    const user = await kinora.newUser()
    const clip = await film(user)
    const { id } = await joined(user, [clip, clip])
    const order = { ...GENERATION, from: { task_id: clip, as: 'remix' } }
    const { task } = (await (await user.call('POST', '/videos/generate', order)).json()) as { task: Task }
    expect(task.made_from).toEqual([{ id: clip, how: 'remix' }])
    const family = async (of: string) => {
      const { films } = (await (await user.call('GET', `/videos/tasks/${of}/lineage`)).json()) as { films: Task[] }
      return films.map((each) => each.id)
    }
    await eventually(async () => {
      expect(await family(clip)).toEqual([clip, task.id, id])
      expect(await family(id)).toEqual([id, clip, task.id])
    })
  })

  it('can be joined again and extended, and its own erasure leaves its clips', async () => {
    const task = await joined(ada, films)
    const again = await joined(ada, [task.id, films[0]!])
    expect(again.engine_model).toBe((await taskOf(ada, task.id)).engine_model)
    expect((await ada.call('POST', `/videos/tasks/${task.id}/last-frame`)).status).toBe(201)
    expect((await ada.call('DELETE', `/videos/tasks/${task.id}`)).status).toBe(204)
    expect((await taskOf(ada, films[0]!)).status).toBe('Success')
    expect((await taskOf(ada, again.id)).status).toBe('Success')
  })

  it('is refused for clips of others, deleted clips, and parts that do not exist', async () => {
    const [first, second] = films as [string, string]
    const deleted = await film(eve)
    await eve.call('DELETE', `/videos/tasks/${deleted}`)
    const status = async (user: TestUser, ids: readonly string[], more: object = {}) => {
      const answer = await join(user, ids, more)
      const { code, errors = [] } = (await answer.json()) as { code: string; errors?: { code: string }[] }
      return [answer.status, errors[0]?.code ?? code]
    }
    expect(await status(eve, [first, second])).toEqual([403, 'forbidden'])
    expect(await status(eve, [deleted, deleted])).toEqual([404, 'not_found'])
    expect(await status(ada, [first])).toEqual([422, 'too_few_clips'])
    expect(await status(ada, Array(100).fill(first))).toEqual([422, 'too_many_clips'])
    expect(await status(ada, films, { fade: 0.6 })).toEqual([422, 'fade_too_long'])
    expect(await status(ada, films, { title: '\u202e\u0000 ' })).toEqual([422, 'required'])
    const part = (start: number, end?: number) =>
      status(ada, [], { clips: [{ id: first, start, ...(end && { end }) }, { id: second }] })
    expect(await part(0.6)).toEqual([422, 'clip_too_short'])
    expect(await part(0, 1.5)).toEqual([422, 'clip_too_short'])
    expect(await part(-1)).toEqual([422, 'invalid'])
  })

  it('ends with a reason if a clip is deleted before it is read', async () => {
    const doomed = await film(eve)
    await unlink(fileOf(doomed))
    const answer = await join(eve, [doomed, doomed])
    const { task } = (await answer.json()) as { task: Task }
    const failed = await ended(eve, task.id, 'Fail')
    expect(failed).toMatchObject({ error_code: 'clip_missing', credits_consumed: 0 })
  })

  it('is started once per idempotency key, and takes a place in the queue', async () => {
    const body = { clips: films.map((id) => ({ id })), title: 'Once' }
    const ask = (key: string) => ada.call('POST', '/videos/join', body, { 'Idempotency-Key': key })
    const idOf = async (answer: Promise<Response>) => ((await (await answer).json()) as { task: Task }).task.id
    const id = await idOf(ask('one'))
    expect(await idOf(ask('one'))).toBe(id)
    await ended(ada, id)
    const open = await Promise.all([ask('two'), ask('three'), ask('four')])
    const statuses = open.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([202, 429]))
    for (const answer of open) if (answer.status === 202) await ended(ada, await idOf(Promise.resolve(answer)))
  })

  it('leaves books that the audit accepts', async () => {
    const { deviations } = await verify(kinora.context.store)
    expect(deviations).toEqual([])
  })
})
