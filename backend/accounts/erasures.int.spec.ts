import { mkdtempSync, readdirSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createCanvas } from '@napi-rs/canvas'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { EmbeddedEngine } from '#workflows/engine/embeddedEngine.ts'
import { createProviderDouble, type ProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { rebuildAll } from '../testing/rebuildAll.ts'
import { replayLedger } from '../testing/replayLedger.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { GENERATION, registerUser, type TestUser } from '../testing/testUser.ts'
import { createErasures } from './erasures.ts'
import { createUserKeys } from './keys/userKeys.ts'

const KEYS = { SESSION_SECRET: 's'.repeat(32), ENCRYPTION_KEY: 'ab'.repeat(32) }
/** Tables that keep the task's id without personal data: the ledger, the event log and the operator's statistics. */
const TABLES_WITH_TASK = ['chain_head', 'credit_entry', 'event', 'task_outcome']
const DAY_MS = 86_400_000
const PROMPT = 'A vermilion zeppelin over the salt flats'
let db: TemporaryDatabase
let provider: ProviderDouble
let kinora: TestKinora
const DATA_DIR = mkdtempSync(path.join(os.tmpdir(), 'kinora-erased-'))

beforeAll(async () => {
  db = await startTemporaryDatabase()
  provider = await createProviderDouble()
  await start()
})
afterAll(async () => {
  await kinora.close()
  await db.close()
})
const start = async () => {
  kinora = await startTestKinora({ provider, env: { DATABASE_URL: db.url, DATA_DIR, ...KEYS } })
}

type Task = { id: string; status: string }
const generate = async (user: TestUser, change: object = {}) => {
  const body = { ...GENERATION, resolution: '512P', prompt: PROMPT, ...change }
  const answer = await user.call('POST', '/videos/generate', body, { 'idempotency-key': crypto.randomUUID() })
  expect(answer.status).toBe(202)
  return ((await answer.json()) as { task: Task }).task.id
}
const reaches = (user: TestUser, id: string, status: string) =>
  eventually(async () => {
    const task = (await (await user.call('GET', `/videos/tasks/${id}`)).json()) as Task
    expect(task.status).toBe(status)
  })

async function upload(user: TestUser): Promise<string> {
  const canvas = createCanvas(640, 360)
  canvas.getContext('2d').fillRect(0, 0, 320, 180)
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(canvas.toBuffer('image/png'))]), 'a.png')
  const answer = await fetch(`${kinora.api}/videos/upload-image`, {
    method: 'POST',
    headers: { cookie: user.cookie },
    body: form,
  })
  return ((await answer.json()) as { image_url: string }).image_url
}

/** Creates a user with a finished, a rendering and a queued video, and data in all other tables. */
async function person(name: string) {
  const user = await registerUser(kinora.url, `${name.toLowerCase()}@kinora.test`)
  await user.call('PUT', '/subscriptions/billing-details', { name: `${name} Mc${name}quill` })
  await user.call('PUT', '/users/name', { username: `${name} Mc${name}quill` })
  const image = await upload(user)
  provider.answer = () => ({ kind: 'finished' })
  const finished = await generate(user, { task_type: 'image_to_video', first_frame_image_url: image })
  await reaches(user, finished, 'Success')
  expect((await user.call('GET', `/videos/download/${finished}`)).status).toBe(200)
  provider.answer = () => ({ kind: 'rendering', percent: 40 })
  const rendering = await generate(user, { task_type: 'image_to_video', first_frame_image_url: image })
  await reaches(user, rendering, 'Processing')
  const from = { task_id: finished, as: 'remix' }
  const waiting = await generate(user, { task_type: 'image_to_video', first_frame_image_url: image, from })
  await user.call('POST', '/ws/token')
  const visit = { path: '/workspace', referrer: 'https://search.test', session_id: `visit-of-${name}` }
  await user.call('POST', '/analytics/page-view', visit, { 'user-agent': `${name}-browser` })
  await kinora.post('/auth/forgot-password', { email: user.email })
  await kinora.mails(user.email)
  for (const sql of [
    `insert into authenticator (owner, sealed, created_at, confirmed_at) values ($1, 'sealed', now(), now())`,
    `insert into recovery_code (hash, owner) values (gen_random_uuid()::text, $1)`,
    `insert into passkey (id, owner, name, public_key, counter, transports, created_at)
       values (gen_random_uuid()::text, $1, '', '', 0, '{}', now())`,
    `insert into sent_reminder (user_id, key) values ($1, 'renewal')`,
    `update session set stepped_up_at = now() where user_id = $1`,
  ])
    await db.pool.query(sql, [user.userId])
  return { user, family: `Mc${name}quill`, image, tasks: [finished, rendering, waiting] }
}

/** Returns the tables that contain a text, in any case. A checkpoint names the stream that it saw last, whatever it is. */
async function tablesWith(needle: string): Promise<string[]> {
  const { rows } = await db.pool.query<{ name: string }>(
    `select quote_ident(table_name) as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'projection_checkpoint'`,
  )
  const found: string[] = []
  for (const { name } of rows) {
    const hit = await db.pool.query(`select 1 from ${name} t where strpos(lower(t::text), lower($1)) > 0 limit 1`, [
      needle,
    ])
    if (hit.rowCount) found.push(name)
  }
  return found
}
/**
 * Tables that keep the id of a user: for the law, as the payment provider’s data, and the list of erasures itself. An open
 * redemption goes with its grant, which an erasure does not prevent.
 */
const KEPT_TABLES = [
  'desk_action',
  'desk_bulk',
  'desk_case',
  'erasure',
  'invoice',
  'invoice_document',
  'open_redemption',
  'sandbox_agreement',
  'sandbox_order',
  'unlabelled_request',
]
/** Returns the tables that name users and whose rows do not go with the row of the account by a foreign key. */
async function tablesOfUsers(): Promise<string[]> {
  const { rows } = await db.pool.query<{ name: string }>(
    `select distinct table_name::text as name from information_schema.columns c join information_schema.tables t using (table_name)
     where c.table_schema = 'public' and table_type = 'BASE TABLE' and column_name in ('user_id', 'owner') and not exists (
       select from pg_constraint f where f.conrelid = quote_ident(table_name)::regclass and f.contype = 'f'
         and f.confdeltype = 'c' and f.confrelid = 'user_account'::regclass) order by 1`,
  )
  return rows.map(({ name }) => name)
}
const mediaFiles = () =>
  readdirSync(path.join(DATA_DIR, 'media'), { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [entry.name] : [],
  )
const encryptedPrompts = async (userId: string) =>
  (
    await db.pool.query<{ sealed: string }>(
      `select data->>'encryptedPrompt' as sealed from event where type = 'VideoTaskSubmitted' and data->>'userId' = $1`,
      [userId],
    )
  ).rows.map(({ sealed }) => sealed)

/** Expects that only allowed rows of an erased account remain. */
async function expectGone({ user, family, image, tasks }: Awaited<ReturnType<typeof person>>): Promise<void> {
  const key = () => db.pool.query('select 1 from user_key where user_id = $1', [user.userId])
  await expect.poll(async () => (await key()).rowCount).toBe(0)
  await expect.poll(async () => (await tablesWith(tasks[2]!)).sort()).toEqual(TABLES_WITH_TASK)
  for (const needle of [user.email, user.email.split('@')[0]!, family, 'zeppelin'])
    await expect.poll(async () => [needle, await tablesWith(needle)]).toEqual([needle, []])
  const ids = [...tasks, image.split('/').at(-1)!]
  await expect.poll(() => mediaFiles().filter((file) => ids.some((id) => file.includes(id)))).toEqual([])
  const allowed = [
    'chain_head',
    'credit_balance',
    'credit_entry',
    'current_subscription',
    'invoice',
    'invoice_document',
    'erasure',
    'event',
  ]
  expect((await tablesWith(user.userId)).filter((name) => !allowed.includes(name))).toEqual([])
  const keys = createUserKeys(db.database, KEYS.ENCRYPTION_KEY)
  const sealed = await encryptedPrompts(user.userId)
  expect(sealed).toHaveLength(3)
  for (const prompt of sealed)
    expect(await keys.decrypt({ purpose: 'prompt', userId: user.userId, row: 'task' }, prompt)).toBeUndefined()
}

async function expectLedgerProven(userId: string, captured: number): Promise<void> {
  await eventually(async () => {
    const account = (await replayLedger(db.pool)).find((each) => each.userId === userId)
    expect(account).toMatchObject({ granted: 60, held: 0, captured, left: 60 - captured, chained: true })
  })
}

const remove = (user: TestUser, password = 'correct horse') => user.call('POST', '/users/delete', { password })

// The last test replaces the rows of all.
describe('the erasure of an account', { shuffle: false }, () => {
  it('rejects a deletion with a wrong password', async () => {
    const user = await kinora.newUser()
    expect(await (await remove(user, 'wrong password')).json()).toMatchObject({
      errors: [{ path: 'password', code: 'wrong_password' }],
    })
    expect((await user.call('GET', '/auth/me')).status).toBe(200)
  })

  it('removes every row, file and readable event of the user, and the ledger still verifies', async () => {
    const stopped: string[] = []
    provider.cancel = async (jobId) => {
      stopped.push(jobId)
      throw new Error('the provider has no such job')
    }
    const stays = await person('Bertram')
    const goes = await person('Zephyrine')
    expect(await tablesWith('zephyrine')).toEqual(expect.arrayContaining(['mailbox', 'user_account']))
    // As if the render had timed out.
    await db.pool.query('insert into late_render (id, user_id) values ($1, $2)', [goes.tasks[1], goes.user.userId])
    // A table that is new here needs a row of the person, so that the deletion of its rows is proven.
    const filled = await tablesWith(goes.user.userId)
    expect((await tablesOfUsers()).filter((name) => !filled.includes(name) && !KEPT_TABLES.includes(name))).toEqual([])
    const answer = await remove(goes.user)
    expect([answer.status, answer.headers.getSetCookie().length]).toEqual([200, 3])
    expect((await goes.user.call('GET', '/auth/me')).status).toBe(401)
    const { email } = goes.user
    expect((await kinora.post('/auth/login', { email, password: 'correct horse' })).status).toBe(401)
    await expectGone(goes)
    expect(stopped).toEqual([goes.tasks[1]])
    await expectLedgerProven(goes.user.userId, 10)
    provider.answer = () => ({ kind: 'finished' })
    for (const id of stays.tasks) await reaches(stays.user, id, 'Success')
    expect(mediaFiles().some((file) => file.includes(stays.tasks[0]!))).toBe(true)
    const task = (await (await stays.user.call('GET', `/videos/tasks/${stays.tasks[0]}`)).json()) as { prompt: string }
    expect(task.prompt).toBe(PROMPT)
    await expectLedgerProven(stays.user.userId, 30)
  })

  it('resumes after Kinora stopped during the erasure', async () => {
    const goes = await person('Clementine')
    const discard = provider.discard
    let forgotten = 0
    const cutOff = Promise.withResolvers<void>()
    provider.discard = async () => {
      forgotten++
      if (forgotten > 1) await cutOff.promise
    }
    expect((await remove(goes.user)).status).toBe(200)
    await expect.poll(() => forgotten).toBe(2)
    const stop = vi.spyOn(EmbeddedEngine.prototype, 'stop')
    const closed = kinora.close({ keep: true })
    await expect.poll(() => stop).toHaveBeenCalled()
    stop.mockRestore()
    cutOff.resolve()
    await closed
    expect(await tablesWith(goes.tasks[2]!)).toContain('idempotency_key')
    provider.discard = discard
    await start()
    await expectGone(goes)
    await expectLedgerProven(goes.user.userId, 10)
  })

  it('removes a registration that is not confirmed within 30 days of its last link', async () => {
    const [email, confirmed] = ['absent@kinora.test', await registerUser(kinora.url, 'present@kinora.test')]
    await kinora.post('/auth/register', { email, password: 'correct horse', username: 'Absent McAbsentquill' })
    await kinora.mails(email)
    await kinora.post('/auth/start', { email: 'asking@kinora.test' })
    await kinora.mails('asking@kinora.test')
    const services = { database: db.database, now: Date.now, destroyKey: async () => {}, eraseRows: [] }
    const { removeUnconfirmed } = createErasures(services)
    const linkEndsAt = Date.now() + DAY_MS
    const used = async () => (await db.pool.query("select from mail_token where purpose = 'verified'")).rowCount
    await removeUnconfirmed(linkEndsAt + 30 * DAY_MS - 60_000)
    expect(await tablesWith('McAbsentquill')).toContain('user_account')
    expect(await used()).toBeGreaterThan(0)
    await removeUnconfirmed(linkEndsAt + 30 * DAY_MS + 60_000)
    await eventually(async () => expect(await tablesWith('McAbsentquill')).toEqual([]))
    expect((await confirmed.call('GET', '/auth/me')).status).toBe(200)
    expect(await used()).toBe(0)
    // Its sign-in link is still stored.
    expect(await tablesWith('asking@kinora.test')).toContain('user_account')
  })

  it('grants no free credits to a new account of the mailbox, and no key to the old one', async () => {
    const { user } = await person('Dorothea')
    await remove(user)
    await eventually(async () => expect(await tablesWith('Dorothea')).toEqual([]))
    const [last] = await kinora.mails(user.email)
    expect(last).toBeUndefined()
    await kinora.post('/auth/register', { email: user.email, password: 'correct horse', username: 'Again' })
    const token = /token=([\w-]+)/.exec((await kinora.mails(user.email))[0]!.text)![1]
    const verified = await kinora.post('/auth/verify-email', { token })
    expect(await verified.json()).toMatchObject({ credits_granted: false })
    await expect(
      createUserKeys(db.database, KEYS.ENCRYPTION_KEY).encrypt(
        { purpose: 'prompt', userId: user.userId, row: 'task' },
        'x',
      ),
    ).rejects.toMatchObject({
      code: 'unauthenticated',
    })
  })

  it('leaves read models that equal a rebuild', async () => {
    for (const { name, live, rebuilt } of await rebuildAll(db.connection, db.pool))
      expect([name, rebuilt]).toEqual([name, live])
  })
})
