import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runAudit } from '../programs/audit.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { postDev, read, readStats, soon } from '../testing/plans.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import type { TestUser } from '../testing/testUser.ts'
import type { Control, Notices, Settings } from './contract.ts'

const OPERATOR = { username: 'olga', password: 'a password for olga' }
const DATA_DIR = mkdtempSync(path.join(os.tmpdir(), 'kinora-control-'))
const MODEL = 'MiniMax-Hailuo-02'
const VIDEO = { task_type: 'text_to_video', model: MODEL, resolution: '768P', duration: 6, prompt: 'A cat' }

let db: TemporaryDatabase
let kinora: TestKinora
let cookie = ''
let user: TestUser
beforeAll(async () => {
  db = await startTemporaryDatabase()
  const env = { OPERATOR_USERNAME: OPERATOR.username, OPERATOR_PASSWORD: OPERATOR.password }
  kinora = await startTestKinora({
    provider: await createProviderDouble(),
    env: { ...env, DATABASE_URL: db.url, DATA_DIR },
  })
  cookie = (await kinora.post('/analytics/login', OPERATOR)).headers.getSetCookie()[0]!.split(';')[0]!
  user = await kinora.newUser()
})
afterAll(async () => {
  await kinora?.close({ keep: true })
  await db?.close()
  rmSync(DATA_DIR, { recursive: true, force: true })
})

const post = (body: object, headers: object = {}) =>
  fetch(`${kinora.api}/desk/installation`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
async function change(changes: Partial<Settings>): Promise<Control> {
  const answer = await post({ reason: 'a test', changes })
  expect([answer.status, answer.statusText]).toEqual([200, 'OK'])
  return (await answer.json()) as Control
}
const notices = () => fetch(`${kinora.api}/installation`)
const generate = (body: object = {}, by = user) => by.call('POST', '/videos/generate', { ...VIDEO, ...body })
const codeOf = async (answer: Response | Promise<Response>) => {
  const { code, error } = (await (await answer).json()) as { code?: string; error?: { code: string } }
  return [(await answer).status, code ?? error?.code]
}
const remaining = async () => (await readStats(user)).remaining_credits

describe('control without a rebuild', { shuffle: false }, () => {
  it('is for operators, who give a reason', async () => {
    expect((await post({ reason: 'x', changes: {} }, { cookie: user.cookie })).status).toBe(401)
    expect(await codeOf(post({ reason: ' ', changes: {} }))).toEqual([422, 'invalid_input'])
    expect(await codeOf(post({ reason: 'x', changes: { open_tasks: 0 } }))).toEqual([422, 'invalid_input'])
  })

  it('has nothing to say to pages while nothing is changed, and may be cached', async () => {
    const answer = await notices()
    expect(answer.headers.get('cache-control')).toBe('public, max-age=15')
    expect(await answer.text()).toBe('{}')
  })

  it('pauses generation on every road, charges nothing and starts again', async () => {
    const order = { name: 'Client', scopes: ['videos:write', 'videos:read'], password: 'correct horse' }
    const { key } = (await (await user.call('POST', '/keys', order)).json()) as { key: string }
    const byProgram = () =>
      fetch(`${kinora.url}/v1/videos`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: MODEL, prompt: 'A cat', seconds: '6' }),
      })
    const byAssistant = async () => {
      const answer = await fetch(`${kinora.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'generate', arguments: { model: MODEL, prompt: 'A cat', seconds: 6, max_credits: 100 } },
        }),
      })
      return answer.text()
    }
    await change({ generation_paused: true })
    expect(await codeOf(generate())).toEqual([503, 'generation_paused'])
    expect(await codeOf(byProgram())).toEqual([503, 'generation_paused'])
    expect(await byAssistant()).toContain('generation_paused')
    expect(await (await notices()).json()).toEqual({ paused: { generation: true } })
    expect(await remaining()).toBe(60)
    await change({ generation_paused: false })
    expect((await byProgram()).status).toBe(200)
  })

  it('pauses one model', async () => {
    const { models } = await change({ paused_models: [MODEL] })
    expect(models.map(({ id }) => id)).toContain(MODEL)
    expect(await codeOf(generate())).toEqual([503, 'model_paused'])
    await change({ paused_models: [] })
  })

  it('refuses blocked words without storing the prompt or charging', async () => {
    await change({ blocked_words: ['gore', '血腥'] })
    const before = await remaining()
    expect(await codeOf(generate({ prompt: 'Much Gore' }))).toEqual([422, 'words_blocked'])
    expect(await codeOf(generate({ prompt: '很血腥的场面' }))).toEqual([422, 'words_blocked'])
    expect(await remaining()).toBe(before)
    const { tasks } = await read<{ tasks: { prompt: string }[] }>(user, '/videos/tasks')
    expect(tasks.map(({ prompt }) => prompt)).toEqual(['A cat'])
  })

  it('pauses registration, but not the sign-in of those who have an account', async () => {
    await change({ registration_paused: true })
    const register = (email: string) =>
      kinora.post('/auth/register', { email, password: 'correct horse', username: 'New' })
    expect(await codeOf(register('new@kinora.test'))).toEqual([503, 'registration_paused'])
    const start = (email: string) => kinora.post('/auth/start', { email })
    expect((await start('stranger@kinora.test')).status).toBe(202)
    expect((await start(user.email)).status).toBe(202)
    await soon(async () => expect((await kinora.mails(user.email)).length).toBeGreaterThan(1))
    expect(await kinora.mails('stranger@kinora.test')).toEqual([])
    expect((await kinora.post('/auth/login', { email: user.email, password: 'correct horse' })).status).toBe(200)
    await change({ registration_paused: false })
    expect((await register('new@kinora.test')).status).toBe(201)
  })

  it('pauses a till: new checkouts are refused, and the payment of an open one is taken', async () => {
    const buy = () => user.call('POST', '/credits/packs/small/buy', {})
    const { data } = (await (await buy()).json()) as { data: { order_id: string } }
    const { tills } = await change({ paused_tills: ['sandbox'] })
    expect(tills).toEqual(['sandbox'])
    expect(await codeOf(buy())).toEqual([503, 'till_paused'])
    expect(await codeOf(user.call('POST', '/subscriptions/upgrade', { new_tier: 'pro' }))).toEqual([503, 'till_paused'])
    const before = await remaining()
    await postDev(kinora, `paypal/${data.order_id}/approve`, {})
    await soon(async () => expect(await remaining()).toBe(before + 300))
    await change({ paused_tills: [] })
  })

  it('lowers the number of open videos of a user', async () => {
    await change({ open_tasks: 1, generation_paused: false })
    const other = await kinora.newUser()
    const answers = await Promise.all([1, 2, 3].map(() => generate({}, other)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 429, 429])
    await change({ open_tasks: null })
  })

  it('shows a banner in both languages and figures, and lists who changed what and why', async () => {
    const banner = { en: 'We move on Sunday.', zh: '周日迁移。' }
    const figures = { users: '12K+', videos: '60K+', satisfaction: '98%', availability: '99.95%' }
    const { changes } = await change({ banner, figures })
    expect((await (await notices()).json()) as Notices).toEqual({ banner, figures })
    expect(changes[0]).toMatchObject({ operator: 'olga', reason: 'a test', changes: { banner, figures } })
    await change({ banner })
    expect((await change({ banner: null })).changes[1]).toMatchObject({ changes: { banner, figures } })
  })

  it('is part of the ledger that the audit verifies, which names a change that was edited', async () => {
    const audit = async () => {
      const out: string[] = []
      const print = (text: string) => void out.push(text)
      const env = { ...process.env, DATABASE_URL: db.url, DATA_DIR }
      return [await runAudit(['verify'], { env, print, printError: print }), out.join('\n')]
    }
    expect((await audit())[0]).toBe(0)
    const edit = `update event set data = jsonb_set(data::jsonb, '{operator}', '"mallory"')
      where stream = 'installation-settings' and revision = 0`
    expect((await kinora.context.pool.query(edit)).rowCount).toBe(1)
    const [code, report] = await audit()
    expect([code, report]).toEqual([1, expect.stringContaining('not by the operator mallory')])
  })
})
