import { existsSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { judge, readAigc, VALID } from '../../kernel/media/marks/testing/readMarks.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../../testing/testUser.ts'
import type { Task } from '../contract.ts'
import { deleteOldRequests } from './visibleLabels.ts'

let kinora: TestKinora
let wei: TestUser
let task: Task

async function finished(user: TestUser): Promise<Task> {
  const { task: made } = (await (await user.call('POST', '/videos/generate', GENERATION)).json()) as { task: Task }
  return eventually(async () => {
    const read = (await (await user.call('GET', `/videos/tasks/${made.id}`)).json()) as Task
    expect(read.status).toBe('Success')
    return read
  })
}

beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
  wei = await kinora.newUser('wei@kinora.test')
  await wei.call('PUT', '/users/language', { language: 'zh' })
  task = await finished(wei)
})
afterAll(() => kinora.close())

const fileOf = (kind: string, { id }: Task) => path.join(kinora.dataDir, 'media', kind, `${id}.mp4`)
const KINDS = ['videos', 'watermarked', 'labelled-watermarked'] as const
const stored = (of: Task) => KINDS.filter((kind) => existsSync(fileOf(kind, of)))

/** Returns the status, and whether the answer is a marked copy of the original. */
async function download(user: TestUser, { id }: Task, query = '') {
  const answer = await user.call('GET', `/videos/download/${id}${query}`)
  if (answer.status !== 200) return [answer.status, ((await answer.json()) as { code: string }).code]
  const mark = await judge(Buffer.from(await answer.arrayBuffer()), 'video/mp4')
  expect(mark).toMatchObject({ ...VALID, actions: ['c2pa.opened', 'c2pa.edited'], manifests: 2 })
  return [200, 'marked']
}

const requests = async () =>
  (await kinora.context.pool.query('select email, task_id from unlabelled_request order by id')).rows

describe('downloads of an account whose language is Chinese', () => {
  it('have a label, and marks for machines', async () => {
    expect(await download(wei, task)).toEqual([200, 'marked'])
    expect(stored(task)).toEqual(['videos', 'labelled-watermarked'])
    expect(await readAigc(fileOf('labelled-watermarked', task))).toMatchObject({ Label: '1', ProduceID: task.id })
  })

  it('have no label after a request, which is recorded once a day', async () => {
    const path = `/videos/tasks/${task.id}/unlabelled`
    expect(await download(wei, task, '?label=false')).toEqual([403, 'label_required'])
    expect((await wei.call('POST', path, { accepted: false })).status).toBe(422)
    const other = await kinora.newUser()
    expect((await other.call('POST', path, { accepted: true })).status).toBe(403)
    expect(await requests()).toEqual([])
    for (let n = 0; n < 3; n++) expect((await wei.call('POST', path, { accepted: true })).status).toBe(204)
    expect(await requests()).toEqual([{ email: 'wei@kinora.test', task_id: task.id }])
    expect(await download(wei, task, '?label=false')).toEqual([200, 'marked'])
    expect(stored(task)).toEqual([...KINDS])
  })

  it('are removed with their task', async () => {
    expect((await wei.call('DELETE', `/videos/tasks/${task.id}`)).status).toBe(204)
    await expect.poll(() => stored(task)).toEqual([])
  })
})

describe('downloads of other accounts', () => {
  it('have a label on request only', async () => {
    const ada = await kinora.newUser()
    const own = await finished(ada)
    expect(await download(ada, own)).toEqual([200, 'marked'])
    expect(await download(ada, own, '?label=false')).toEqual([200, 'marked'])
    expect(stored(own)).toEqual(['videos', 'watermarked'])
    expect(await download(ada, own, '?label=true')).toEqual([200, 'marked'])
    expect(stored(own)).toEqual([...KINDS])
  })
})

describe('a request for a copy without the label', () => {
  it('is kept for six months, and longer than the account', async () => {
    const { pool, clock } = kinora.context
    expect((await wei.call('POST', '/users/delete', { password: 'correct horse' })).status).toBeLessThan(300)
    await expect
      .poll(async () => (await pool.query(`select from user_account where email = 'wei@kinora.test'`)).rowCount)
      .toBe(0)
    const age = (days: number) =>
      pool.query('update unlabelled_request set at = $1', [new Date(clock() - days * 86_400_000)])
    await age(180)
    await deleteOldRequests(pool, clock)
    expect(await requests()).toHaveLength(1)
    await age(185)
    await deleteOldRequests(pool, clock)
    expect(await requests()).toEqual([])
  })
})
