import { createCanvas } from '@napi-rs/canvas'
import { TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import { GENERATION } from '../../testing/testUser.ts'
import { removeExpiredStarts } from './startDrafts.ts'

const PROMPT = 'A heron lands on a pier at dawn'
const HOUR_MS = 3_600_000

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
})
afterAll(() => kinora.close())
beforeEach(() => kinora.context.pool.query('truncate start_image, throttle'))

let count = 0
const newEmail = () => `start${++count}@kinora.test`
const json = async <T = Record<string, unknown>>(answer: Response) => (await answer.json()) as T
const codeOf = async (answer: Response) => [answer.status, (await json<{ code?: string }>(answer)).code]
const query = (sql: string, values: unknown[] = []) => kinora.context.pool.query(sql, values)
const cookiesOf = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')

/** Asks for a link. Returns the cookie of the browser. */
async function begin(email: string, draft?: object, more: object = {}): Promise<string> {
  const answer = await kinora.post('/auth/start', { email, draft, ...more })
  expect(answer.status).toBe(202)
  return cookiesOf(answer)
}
const mailTo = async (email: string) => (await kinora.mails(email))[0]!
const newestToken = async (email: string) => /#token=([\w-]+)/.exec((await mailTo(email)).text)![1]!
const preview = (token: string, cookie = '') => kinora.post('/auth/start/preview', { token }, { cookie })
const confirm = (token: string, cookie = '') => kinora.post('/auth/start/confirm', { token }, { cookie })
const readDraft = async (cookie: string) =>
  (await json<{ draft: Record<string, unknown> | null }>(await kinora.post('/auth/start/draft', {}, { cookie }))).draft
const asUser = (cookie: string, path: string) => fetch(kinora.api + path, { headers: { cookie } })

function picture(width = 800, height = 600): FormData {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(createCanvas(width, height).toBuffer('image/png'))]), 'a.png')
  return form
}
const upload = (body: FormData) => fetch(`${kinora.api}/auth/start/image`, { method: 'POST', body })

describe('a link for a new address', () => {
  it('makes a verified account without a password, with the free credits, and returns the draft', async () => {
    const email = newEmail()
    const draft = { prompt: PROMPT, task_type: 'text_to_video', duration: 6, camera_movements: ['推进'], plan: 'pro' }
    await begin(email, draft, { language: 'zh' })
    const answer = await confirm(await newestToken(email))
    expect(await json(answer.clone())).toMatchObject({ user: { email, language: 'zh', username: email.split('@')[0] } })
    const session = cookiesOf(answer)
    expect(await json(await asUser(session, '/subscriptions/stats'))).toMatchObject({ remaining_credits: 60 })
    expect(await readDraft(session)).toMatchObject({ ...draft, key: expect.any(String) })
    expect((await query('select has_password from user_account where email = $1', [email])).rows[0].has_password).toBe(
      false,
    )
  })

  it('is mailed in the language of the visitor, without text from the visitor', async () => {
    const email = newEmail()
    await begin(email, { prompt: PROMPT }, { language: 'zh' })
    const mail = await mailTo(email)
    expect(mail.subject).toBe('你的 Kinora 登录链接')
    expect(JSON.stringify(mail)).not.toContain('heron')
    expect(mail.text).toContain('/zh/auth/start#token=')
  })

  it('is stored as a hash, with a sealed draft', async () => {
    const email = newEmail()
    await begin(email, { prompt: PROMPT })
    const token = await newestToken(email)
    const stored = JSON.stringify((await query('select * from start_link where email = $1', [email])).rows)
    expect(stored).not.toContain(token)
    expect(stored).not.toContain('heron')
    expect(stored).toContain('v2.')
  })

  it('grants the free credits to an address once', async () => {
    const email = newEmail()
    for (const credits of [60, 0]) {
      await begin(email)
      const session = cookiesOf(await confirm(await newestToken(email)))
      expect(await json(await asUser(session, '/subscriptions/stats'))).toMatchObject({ remaining_credits: credits })
      const { rows } = await query('select id from user_account where email = $1', [email])
      await query('update free_grant set user_id = null where user_id = $1', [rows[0].id])
      await query('delete from user_account where id = $1', [rows[0].id])
    }
  })
})

describe('a link', () => {
  it('is previewed any number of times, and signs in once', async () => {
    const email = newEmail()
    const browser = await begin(email, { prompt: PROMPT })
    const token = await newestToken(email)
    const shown = { email, prompt: PROMPT, has_image: false, plan: null }
    expect(await json(await preview(token))).toEqual({ ...shown, same_browser: false })
    expect(await json(await preview(token, browser))).toEqual({ ...shown, same_browser: true })
    const answers = await Promise.all([1, 2, 3].map(() => confirm(token)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422, 422])
    expect(await codeOf(await preview(token))).toEqual([422, 'token_invalid'])
  })

  it('is known to a browser that has asked for several', async () => {
    const [first, second] = [newEmail(), newEmail()]
    const browser = await begin(first)
    const again = await kinora.post('/auth/start', { email: second }, { cookie: browser })
    expect(cookiesOf(again)).toBe(browser)
    for (const email of [first, second])
      expect(await json(await preview(await newestToken(email), browser))).toMatchObject({ same_browser: true })
  })

  it('expires after an hour, and is deleted with its draft and picture', async () => {
    const email = newEmail()
    const { image } = await json<{ image: string }>(await upload(picture()))
    await begin(email, { prompt: PROMPT, image })
    const token = await newestToken(email)
    const sql = "update start_link set expires_at = now() - interval '1 second' where email = $1"
    await query(sql, [email])
    expect(await codeOf(await confirm(token))).toEqual([422, 'token_invalid'])
    await removeExpiredStarts(kinora.context.database, Date.now())
    expect((await query('select from start_link where email = $1', [email])).rowCount).toBe(0)
    expect((await query('select from start_image where link_id is not null')).rowCount).toBe(0)
    const kept = await upload(picture())
    expect(kept.status).toBe(201)
    await removeExpiredStarts(kinora.context.database, Date.now() + HOUR_MS + 1_000)
    expect((await query('select from start_image')).rowCount).toBe(0)
  })

  it('signs in without its draft if the key of the draft is lost, as after a rotation', async () => {
    const email = newEmail()
    await begin(email, { prompt: PROMPT })
    const token = await newestToken(email)
    await query("update start_link set sealed = overlay(sealed placing 'AAAA' from 8) where email = $1", [email])
    const answer = await confirm(token)
    expect(answer.status).toBe(200)
    expect(await readDraft(cookiesOf(answer))).toBeNull()
  })

  it('is deleted with the account', async () => {
    const email = newEmail()
    await begin(email, { prompt: PROMPT })
    const session = cookiesOf(await confirm(await newestToken(email)))
    await begin(email, { prompt: PROMPT })
    await newestToken(email)
    const { id } = await json<{ id: string }>(await asUser(session, '/auth/me'))
    await query('delete from user_account where id = $1', [id])
    expect((await query('select from start_link where user_id = $1', [id])).rowCount).toBe(0)
  })
})

describe('a link for an existing account', () => {
  it('signs in, and changes neither its name nor its password', async () => {
    const user = await kinora.newUser()
    await begin(user.email, { prompt: PROMPT })
    const answer = await confirm(await newestToken(user.email))
    expect(await json(answer.clone())).toMatchObject({ user: { id: user.userId, username: 'Test User' } })
    expect(await readDraft(cookiesOf(answer))).toMatchObject({ prompt: PROMPT })
    expect((await kinora.post('/auth/login', { email: user.email, password: 'correct horse' })).status).toBe(200)
  })

  it('still asks for the second factor, and keeps the draft for the signed-in user', async () => {
    const user = await kinora.newUser()
    const setup = await user.call('POST', '/users/totp', { password: 'correct horse' })
    const secret = new TOTP({ secret: (await json<{ secret: string }>(setup)).secret }).secret
    const code = (steps: number) => TOTP.generate({ secret, timestamp: Date.now() + steps * 30_000 })
    await user.call('POST', '/users/totp/confirm', { code: code(-1) })
    await begin(user.email, { prompt: PROMPT })
    const answer = await confirm(await newestToken(user.email))
    expect(cookiesOf(answer)).toBe('')
    const { ticket, ...refusal } = await json<{ ticket: string }>(answer)
    expect(refusal).toMatchObject({ code: 'second_factor_required', methods: ['totp', 'recovery_code'] })
    const finished = await kinora.post('/auth/second-factor', { ticket, code: code(1) })
    expect(await readDraft(cookiesOf(finished))).toMatchObject({ prompt: PROMPT })
  })

  it('keeps the draft from other users', async () => {
    const [email, other] = [newEmail(), await kinora.newUser()]
    await begin(email, { prompt: PROMPT })
    const session = cookiesOf(await confirm(await newestToken(email)))
    const { key } = (await readDraft(session))!
    expect(await readDraft(other.cookie)).toBeNull()
    expect((await other.call('DELETE', `/auth/start/draft/${key}`)).status).toBe(404)
    expect(await readDraft(session)).toMatchObject({ key })
    await fetch(`${kinora.api}/auth/start/draft/${key}`, { method: 'DELETE', headers: { cookie: session } })
    expect(await readDraft(session)).toBeNull()
  })
})

describe('the picture of a draft', () => {
  it('is sealed, becomes the user’s upload, and starts one video however often it is sent', async () => {
    const email = newEmail()
    const { image } = await json<{ image: string }>(await upload(picture()))
    await begin(email, { prompt: PROMPT, image })
    expect((await query('select sealed from start_image')).rows[0].sealed).toMatch(/^v2\./)
    const token = await newestToken(email)
    expect(await json(await preview(token))).toMatchObject({ has_image: true })
    const cookie = cookiesOf(await confirm(token))
    const [draft, inOtherTab] = await Promise.all([readDraft(cookie), readDraft(cookie)])
    expect(inOtherTab).toEqual(draft)
    const { key, first_frame_image_url } = draft as Record<string, string>
    expect(await readDraft(cookie)).toMatchObject({ key, first_frame_image_url })
    expect((await asUser(cookie, first_frame_image_url!.replace('/api/v1', ''))).status).toBe(200)
    const body = { ...GENERATION, task_type: 'image_to_video', prompt: PROMPT, first_frame_image_url }
    const send = () => kinora.post('/videos/generate', body, { cookie, 'Idempotency-Key': key! })
    const ids = (await Promise.all([send(), send()])).map(
      async (answer) => (await json<{ task: { id: string } }>(answer)).task.id,
    )
    expect(new Set(await Promise.all(ids)).size).toBe(1)
  })

  it('is still there after it could not become an upload', async () => {
    const email = newEmail()
    const { image } = await json<{ image: string }>(await upload(picture()))
    await begin(email, { prompt: PROMPT, image })
    const cookie = cookiesOf(await confirm(await newestToken(email)))
    await query('alter table image_upload rename to away')
    expect((await kinora.post('/auth/start/draft', {}, { cookie })).status).toBeGreaterThanOrEqual(500)
    await query('alter table away rename to image_upload')
    expect(await readDraft(cookie)).toMatchObject({ prompt: PROMPT, first_frame_image_url: expect.any(String) })
  })

  it('is checked as uploads are, and named by one draft only', async () => {
    expect(await codeOf(await upload(picture(200, 200)))).toEqual([422, 'image_too_small'])
    const { image } = await json<{ image: string }>(await upload(picture()))
    await begin(newEmail(), { image })
    await kinora.mails('settled@kinora.test')
    for (const token of [image, 'unknown']) {
      const answer = await kinora.post('/auth/start', { email: newEmail(), draft: { image: token } })
      expect(await json(answer)).toMatchObject({ errors: [{ path: 'draft.image', code: 'unknown_image' }] })
    }
  })

  it('is limited per network', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 11; n++) statuses.push((await upload(picture(200, 200))).status)
    expect(statuses.at(-1)).toBe(429)
  })
})

describe('asking for links', () => {
  it('is limited per address, and refuses invalid addresses and drafts', async () => {
    const email = newEmail()
    for (let n = 0; n < 5; n++) await begin(email)
    expect(await codeOf(await kinora.post('/auth/start', { email }))).toEqual([429, 'too_many_requests'])
    const draft = { prompt: 'x'.repeat(2_001), plan: 'platinum' }
    const faults = (await json(await kinora.post('/auth/start', { email: 'nobody', draft }))).errors
    expect(faults).toMatchObject([
      { path: 'email', code: 'invalid_email' },
      { path: 'draft.prompt', code: 'prompt_too_long' },
      { path: 'draft.plan', code: 'invalid_plan' },
    ])
  })
})
