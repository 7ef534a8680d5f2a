import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { createUserKeys } from '../../accounts/keys/userKeys.ts'
import { uuid7 } from '../../kernel/eventsourcing/uuid7.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { stopwatch } from '../../testing/stopwatch.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../../testing/testUser.ts'
import type { Task } from '../contract.ts'
import { aboutPrompt } from '../promptCipher.port.ts'

let kinora: TestKinora
let ada: TestUser
let eve: TestUser
let tasks: readonly Task[]

beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
  ada = await kinora.newUser()
  eve = await kinora.newUser()
  tasks = [await finished(ada), await finished(ada)]
})
afterAll(() => kinora.close())

async function finished(user: TestUser): Promise<Task> {
  const { task: made } = (await (await user.call('POST', '/videos/generate', GENERATION)).json()) as { task: Task }
  return eventually(async () => {
    const read = (await (await user.call('GET', `/videos/tasks/${made.id}`)).json()) as Task
    expect(read.status).toBe('Success')
    return read
  })
}

const json = async <T>(answer: Promise<Response>) => (await (await answer).json()) as T
const marks = async (user: TestUser) =>
  (await json<{ marks: { id: string }[] }>(user.call('GET', '/videos/marks'))).marks
const mark = async (user: TestUser, change: object) => (await user.call('POST', '/videos/marks', change)).status
const works = async (query = '') =>
  (await json<{ tasks: Task[] }>(ada.call('GET', `/videos/my-works${query}`))).tasks.map(({ id }) => id)

/** Returns the names in the central directory of a zip file (APPNOTE 4.3.12). */
function namesIn(zip: Buffer): string[] {
  const names: string[] = []
  for (let at = zip.indexOf('PK\x01\x02'); at >= 0; at = zip.indexOf('PK\x01\x02', at + 46))
    names.push(zip.subarray(at + 46, at + 46 + zip.readUInt16LE(at + 28)).toString())
  return names
}

describe('favourites and folders', () => {
  const ids = () => tasks.map(({ id }) => id) as [string, string]

  it('are set, listed, filtered by and removed', async () => {
    const [first, second] = ids()
    expect(await mark(ada, { ids: [first, second, second], favourite: true })).toBe(204)
    expect(await mark(ada, { ids: [first], folder: ' Cats ' })).toBe(204)
    expect(await mark(ada, { ids: [second], favourite: false })).toBe(204)
    expect(await marks(ada)).toEqual([{ id: first, favourite: true, folder: 'Cats' }])
    expect(await works('?favourites=true')).toEqual([first])
    expect(await works('?folder=Cats&q=CAT')).toEqual([first])
    expect(await works('?folder=Cats&q=dog')).toEqual([])
    expect(await works('?folder=Dogs')).toEqual([])
    expect(await works()).toEqual([second, first])
    expect(await mark(ada, { ids: [first], folder: null })).toBe(204)
    expect(await marks(ada)).toEqual([{ id: first, favourite: true, folder: null }])
    expect(await marks(eve)).toEqual([])
  })

  it('belong to the owner of the video', async () => {
    expect(await mark(eve, { ids: [ids()[0]], favourite: true })).toBe(403)
    expect(await mark(eve, { ids: [eve.userId], favourite: true })).toBe(404)
  })

  it('refuse an empty selection and a long folder name', async () => {
    expect(await mark(ada, { ids: [], favourite: true })).toBe(422)
    expect(await mark(ada, { ids: ids(), folder: 'x'.repeat(61) })).toBe(422)
  })

  it('clean a folder name of what cannot be seen, and refuse one that shows nothing', async () => {
    expect(await mark(ada, { ids: ids(), folder: 'a\u0000\nb' })).toBe(204)
    for (const folder of ['\u0000', '\ud800', 'a'.repeat(2_000)])
      expect(await mark(ada, { ids: ids(), folder })).toBe(422)
  })
})

describe('a search', () => {
  it('in 2,000 videos answers within 100 ms', async () => {
    const { pool, database, config } = kinora.context
    const { encrypt } = createUserKeys(database, config.secrets.encryption)
    const owner = await kinora.newUser()
    const ids = Array.from({ length: 2_000 }, () => uuid7())
    const prompts = await Promise.all(
      ids.map((id, n) => encrypt(aboutPrompt(owner, id), `${'A boat on the sea at dusk. '.repeat(8)} No. ${n}.`)),
    )
    await pool.query(
      `insert into video_task select (jsonb_populate_record(t, jsonb_build_object('id', m.id, 'user_id', $1::uuid,
         'encrypted_prompt', m.prompt))).* from video_task t, unnest($2::uuid[], $3::text[]) as m (id, prompt) where t.id = $4`,
      [owner.userId, ids, prompts, tasks[0]!.id],
    )
    const search = (q: string) => json<{ total: number }>(owner.call('GET', `/videos/my-works?q=${q}`))
    expect((await search('no. 1234.')).total).toBe(1)
    const took = stopwatch()
    for (let n = 0; n < 5; n++) expect((await search(`No. ${1_900 + n}.`)).total).toBe(1)
    took.within(5 * 100)
  })
})

describe('many videos', () => {
  const archive = (user: TestUser, ids: readonly string[]) => user.call('GET', `/videos/archive?ids=${ids.join()}`)

  it('are downloaded as one zip, each with the marks of a single download', async () => {
    const answer = await archive(ada, [...tasks.map(({ id }) => id), tasks[0]!.id])
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip'])
    const zip = Buffer.from(await answer.arrayBuffer())
    expect(namesIn(zip)).toEqual(['A cat on a hill at s.mp4', 'A cat on a hill at s (2).mp4'])
    for (const { id } of tasks) {
      const single = await ada.call('GET', `/videos/download/${id}`)
      expect(zip.includes(Buffer.from(await single.arrayBuffer()))).toBe(true)
    }
  })

  it('are downloaded by their owner alone', async () => {
    expect((await archive(eve, [tasks[0]!.id])).status).toBe(403)
    expect((await archive(ada, [tasks[0]!.id, '0190a000-0000-7000-8000-000000000000'])).status).toBe(404)
    expect((await archive(ada, ['nonsense'])).status).toBe(422)
    expect((await archive(ada, Array(101).fill(tasks[0]!.id))).status).toBe(422)
  })

  it('are deleted together, and those of others stay', async () => {
    const own = await finished(eve)
    await mark(eve, { ids: [own.id], favourite: true })
    const remove = (ids: readonly string[]) => json(eve.call('POST', '/videos/delete', { ids }))
    expect(await remove([own.id, tasks[0]!.id])).toEqual({
      deleted: [own.id],
      failed: [{ id: tasks[0]!.id, code: 'forbidden' }],
    })
    expect((await eve.call('GET', `/videos/tasks/${own.id}`)).status).toBe(404)
    expect(await marks(eve)).toEqual([])
    expect((await ada.call('GET', `/videos/tasks/${tasks[0]!.id}`)).status).toBe(200)
    expect((await eve.call('POST', '/videos/delete', { ids: [] })).status).toBe(422)
  })
})
