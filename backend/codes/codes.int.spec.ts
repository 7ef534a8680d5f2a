import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runAudit } from '../programs/audit.ts'
import { freePort } from '../testing/freePort.ts'
import { buyPlan, read, soon, readStats as stats } from '../testing/plans.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import type { TestUser } from '../testing/testUser.ts'
import { code } from './code.decider.ts'

const OPERATOR = { username: 'olga', password: 'a password for olga' }
const DATA_DIR = mkdtempSync(path.join(os.tmpdir(), 'kinora-codes-'))
const DAY_MS = 24 * 3_600_000

let db: TemporaryDatabase
let kinora: TestKinora
let cookie = ''
const start = async (layout: Record<string, string> = {}) => {
  const env = { OPERATOR_USERNAME: OPERATOR.username, OPERATOR_PASSWORD: OPERATOR.password, ...layout }
  kinora = await startTestKinora({ env: { ...env, DATABASE_URL: db.url, DATA_DIR, SESSION_SECRET: 's'.repeat(32) } })
  cookie = (await kinora.post('/analytics/login', OPERATOR)).headers.getSetCookie()[0]!.split(';')[0]!
}
beforeAll(async () => {
  db = await startTemporaryDatabase()
  await start()
})
afterAll(async () => {
  await kinora?.close({ keep: true })
  await db?.close()
  rmSync(DATA_DIR, { recursive: true, force: true })
})

const board = (method: string, route: string, body?: object) =>
  fetch(`${kinora.api}/analytics/codes${route}`, {
    method,
    headers: { cookie, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
type Row = Record<'id' | 'label' | 'hint', string> & { used: number; uses: number; voided_at: string | null }
const list = async (query = '') => (await (await board('GET', query)).json()) as { codes: Row[]; total: number }
async function issue(order: object = {}): Promise<string[]> {
  const answer = await board('POST', '', { label: 'Fair', credits: 50, ...order })
  expect(answer.status).toBe(201)
  return ((await answer.json()) as { codes: string[] }).codes
}
const issueOne = async (order: object = {}) => (await issue(order))[0]!
const call = (user: TestUser, method: string, route: string, body?: object) =>
  fetch(`${kinora.api}${route}`, {
    method,
    headers: { cookie: user.cookie, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
const redeem = (user: TestUser, text: string) => call(user, 'POST', '/credits/redeem', { code: text })
/** Redeems a code, and returns the status and the error code. */
async function outcome(user: TestUser, text: string): Promise<[number, string | undefined]> {
  const answer = await redeem(user, text)
  return [answer.status, ((await answer.json()) as { code?: string }).code]
}
const UNKNOWN = [404, 'unknown_code']
const newUsers = (count: number) => Promise.all(Array.from({ length: count }, () => kinora.newUser()))

describe('a code', { shuffle: false }, () => {
  it('grants its credits, which the answer, the history and the board show', async () => {
    const user = await kinora.newUser()
    const text = await issueOne({ label: 'Spring fair', expires_in_days: 30 })
    const answer = await redeem(user, ` ${text.toLowerCase().replaceAll('-', ' ')}`)
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { credits: 50, stats: { remaining_credits: 110 } },
    ])
    const { entries } = await read<{ entries: object[] }>(user, '/credits/history')
    expect(entries[0]).toMatchObject({ kind: 'grant', reason: 'code', amount: 50, balance_after: 110 })
    expect(await read(user, '/subscriptions/invoices')).toMatchObject({ total: 0 })
    const { codes } = await list()
    expect(codes[0]).toMatchObject({
      ...{ label: 'Spring fair', hint: text.slice(-4), credits: 50, used: 1, uses: 1, audience: 'all', batch_size: 1 },
      ...{ issued_at: expect.any(String), expires_at: expect.any(String), voided_at: null },
    })
  })

  it('is nowhere in the database', async () => {
    const text = await issueOne()
    const { rows } = await db.pool.query(
      `select type from event where data::text ilike any ($1) or meta::text ilike any ($1) or stream ilike any ($1)
       union select label from credit_code c where to_json(c)::text ilike any ($1)
       union select action from operator_action a where to_json(a)::text ilike any ($1)`,
      [[`%${text}%`, `%${text.replaceAll('-', '')}%`]],
    )
    expect(rows).toEqual([])
  })

  it('with three uses is redeemed by exactly three of 16 users at the same time', async () => {
    const [text, users] = [await issueOne({ uses: 3 }), await newUsers(16)]
    const statuses = await Promise.all(users.map(async (user) => (await redeem(user, text)).status))
    expect(statuses.filter((status) => status === 200)).toHaveLength(3)
    expect(statuses.filter((status) => status === 404)).toHaveLength(13)
    const balances = await Promise.all(users.map(async (user) => (await stats(user)).remaining_credits))
    expect(balances.toSorted((a, b) => a - b)).toEqual([...Array(13).fill(60), 110, 110, 110])
  })

  it('is redeemed once by one user who tries 16 times at the same time', async () => {
    const [text, user] = [await issueOne({ uses: 100 }), await kinora.newUser()]
    const statuses = await Promise.all(Array.from({ length: 16 }, async () => (await redeem(user, text)).status))
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(await stats(user)).toMatchObject({ remaining_credits: 110 })
  })

  it('is refused alike if it is wrong, used up, used before, expired, void or not for the account', async () => {
    const [user, other] = [await kinora.newUser(), await kinora.newUser()]
    const [used, shared, ended, short, fresh] = await Promise.all([
      ...[issueOne(), issueOne({ uses: 2 }), issueOne({ label: 'Ended' })],
      ...[issueOne({ expires_in_days: 1 }), issueOne({ audience: 'new' })],
    ])
    expect((await redeem(other, used!)).status).toBe(200)
    expect((await redeem(user, shared!)).status).toBe(200)
    const { codes } = await list('?per_page=100')
    const { id } = codes.find(({ label }) => label === 'Ended')!
    expect(await (await board('POST', `/${id}/void`, {})).json()).toEqual({ success: true, voided: 1 })
    expect((await board('POST', `/${id}/void`, {})).status).toBe(404)
    await buyPlan(kinora, user, 'standard')
    await fetch(`${kinora.url}/dev/clock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ advance_ms: DAY_MS }),
    })
    const wrong = 'K7QM-2R4T-9XWB-0HJC-V3ZD'
    const answers = await Promise.all(
      [wrong, 'nonsense', used!, shared!, short!, ended!, fresh!].map(async (text) => {
        const { requestId: _, ...body } = (await (await redeem(user, text)).json()) as Record<string, unknown>
        return body
      }),
    )
    expect(answers).toEqual(Array(7).fill({ ...answers[0], code: 'unknown_code', status: 404 }))
    expect(await outcome(other, fresh!)).toEqual([200, undefined])
  })

  it('is voided with the rest of its batch', async () => {
    const texts = await issue({ count: 12, label: 'Leaked' })
    expect(new Set(texts).size).toBe(12)
    const user = await kinora.newUser()
    expect((await redeem(user, texts[3]!)).status).toBe(200)
    const { codes } = await list('?per_page=12')
    expect(codes.map(({ label }) => label)).toEqual(Array(12).fill('Leaked'))
    expect(await (await board('POST', `/${codes[0]!.id}/void`, { batch: true })).json()).toMatchObject({ voided: 12 })
    const other = await kinora.newUser()
    expect(await outcome(other, texts[4]!)).toEqual(UNKNOWN)
    expect(await stats(user)).toMatchObject({ remaining_credits: 110 })
    const { actions } = (await (await fetch(`${kinora.api}/analytics/actions`, { headers: { cookie } })).json()) as {
      actions: object[]
    }
    expect(actions.slice(0, 2)).toMatchObject([
      { action: 'codes_voided', detail: 'Leaked: 12 codes' },
      { action: 'codes_issued', detail: 'Leaked: 12 × 50 credits, 1 uses each' },
    ])
  })

  it('cannot be guessed: the eleventh wrong try has to wait, and so does a right one', async () => {
    const [text, user, other] = [await issueOne({ uses: 2 }), ...(await newUsers(2))] as const
    for (let tries = 0; tries < 10; tries++) expect(await outcome(user!, `wrong ${tries}`)).toEqual(UNKNOWN)
    const refused = await redeem(user!, text)
    expect(refused.status).toBe(429)
    const seconds = Number(refused.headers.get('retry-after'))
    expect([seconds > 0, seconds <= 360]).toEqual([true, true])
    for (let tries = 0; tries < 9; tries++) await redeem(other!, 'wrong')
    expect((await redeem(other!, text)).status).toBe(200)
    expect(await outcome(other!, 'wrong')).toEqual(UNKNOWN)
    expect((await redeem(other!, 'wrong')).status).toBe(429)
  })

  it('is granted once after a restart if the process died before the grant', async () => {
    const [user, other] = await newUsers(2)
    const text = await issueOne({ uses: 2, label: 'Interrupted' })
    // Only processes with workflows grant what a request has left.
    await kinora.close({ keep: true })
    const port = String(await freePort())
    await start({ ROLES: 'api,projections', PORT: port, PUBLIC_URL: `http://localhost:${port}` })
    const { id: codeId } = (await list()).codes.find(({ label }) => label === 'Interrupted')!
    const command = {
      type: 'RedeemCode',
      codeId,
      userId: user!.userId,
      isNew: true,
      at: new Date().toISOString(),
    } as const
    const context = { commandId: crypto.randomUUID(), actor: `user:${user!.userId}`, correlationId: 'interrupted' }
    await kinora.context.handle(code, codeId, command, context)
    expect((await redeem(other!, text)).status).toBe(200)
    await kinora.close({ keep: true })

    await start()
    const balanceOf = async ({ cookie }: TestUser) =>
      (await (await fetch(`${kinora.api}/subscriptions/stats`, { headers: { cookie } })).json()).remaining_credits
    await soon(async () => expect(await balanceOf(user!)).toBe(110))
    expect(await balanceOf(other!)).toBe(110)
    const open = () => db.pool.query('select from open_redemption')
    await soon(async () => expect((await open()).rowCount).toBe(0))
    const granted = `select from event where type = 'CreditLotGranted' and data->>'reference' = $1`
    expect((await db.pool.query(granted, [codeId])).rowCount).toBe(2)
  })

  it('leaves a ledger that passes an audit', async () => {
    let printed = ''
    const print = (text: string) => {
      printed += text
    }
    const env = { DATA_DIR, DATABASE_URL: db.url }
    const exit = await runAudit(['verify', '--json'], { env, print, printError: print })
    expect([printed.match(/"wrong": .*/g), exit]).toEqual([null, 0])
  })
})
