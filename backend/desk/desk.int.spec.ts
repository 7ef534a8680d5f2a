import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { runAudit } from '../programs/audit.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { eventually } from '../testing/eventually.ts'
import { buyPlan, read, readStats, soon } from '../testing/plans.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import type { TestUser } from '../testing/testUser.ts'
import type { DeskAction, Person } from './contract.ts'

const OPERATOR = { username: 'olga', password: 'a password for olga' }
const DATA_DIR = mkdtempSync(path.join(os.tmpdir(), 'kinora-desk-'))

let db: TemporaryDatabase
let kinora: TestKinora
let cookie = ''
beforeAll(async () => {
  db = await startTemporaryDatabase()
  const env = { OPERATOR_USERNAME: OPERATOR.username, OPERATOR_PASSWORD: OPERATOR.password, DATABASE_URL: db.url }
  kinora = await startTestKinora({
    provider: await createProviderDouble(),
    env: { ...env, DATA_DIR, DESK_SECOND_OPERATOR_ABOVE: '5000' },
  })
  cookie = (await kinora.post('/analytics/login', OPERATOR)).headers.getSetCookie()[0]!.split(';')[0]!
})
afterAll(async () => {
  await kinora?.close({ keep: true })
  await db?.close()
  rmSync(DATA_DIR, { recursive: true, force: true })
})

const desk = (body: object, headers: object = {}) =>
  fetch(`${kinora.api}/desk/actions`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ reason: 'a remedy', ...body }),
  })
/** Orders an action, and returns it once it is over. */
async function order(body: object): Promise<DeskAction> {
  const answer = await desk(body)
  expect([answer.status, answer.statusText]).toEqual([201, 'Created'])
  return ((await answer.json()) as { action: DeskAction }).action
}
const refusal = async (body: object) => {
  const answer = await desk(body)
  return [answer.status, ((await answer.json()) as { code: string }).code]
}
const remaining = async (user: TestUser) => (await readStats(user)).remaining_credits
const login = (email: string) => kinora.post('/auth/login', { email, password: 'correct horse' })
const subjects = async ({ email }: TestUser) => (await kinora.mails(email)).map(({ subject }) => subject)
const invoices = async (user: TestUser) =>
  (
    await read<{ invoices: { payment: string; amount: number; refunded: number; status: string }[] }>(
      user,
      '/subscriptions/invoices',
    )
  ).invoices
const VIDEO = {
  task_type: 'text_to_video',
  model: 'MiniMax-Hailuo-02',
  resolution: '768P',
  duration: 6,
  prompt: 'A cat',
}
async function signIn(user: TestUser): Promise<TestUser> {
  const answer = await login(user.email)
  const session = answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const call: TestUser['call'] = (method, route, body) =>
    fetch(kinora.api + route, {
      method,
      headers: { cookie: session, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  return { ...user, cookie: session, call }
}

describe('the desk', { shuffle: false }, () => {
  describe('a grant', () => {
    it('adds credits once, which the history, the list and the log show', async () => {
      const user = await kinora.newUser()
      const id = crypto.randomUUID()
      const grant = { id, kind: 'grant', subject: user.userId, amount: 40 }
      const answers = await Promise.all(Array.from({ length: 8 }, () => order(grant)))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['done']))
      expect(await remaining(user)).toBe(100)
      expect(await refusal({ ...grant, amount: 41 })).toEqual([422, 'idempotency_key_reused'])
      const { entries } = await read<{ entries: object[] }>(user, '/credits/history')
      expect(entries[0]).toMatchObject({ amount: 40, balance_after: 100 })
      const listed = await fetch(`${kinora.api}/desk/actions?user=${user.userId}`, { headers: { cookie } })
      expect(await listed.json()).toMatchObject({
        total: 1,
        actions: [{ id, kind: 'grant', status: 'done', amount: 40, operator: 'olga', reason: 'a remedy' }],
      })
    })

    it('needs an amount, a reason, an account and the operator', async () => {
      const { userId, cookie: theirs } = await kinora.newUser()
      const grant = { kind: 'grant', subject: userId, amount: 40 }
      expect(await refusal({ ...grant, amount: undefined })).toEqual([422, 'invalid_input'])
      expect(await refusal({ ...grant, amount: 1_000_001 })).toEqual([422, 'invalid_input'])
      expect(await refusal({ ...grant, reason: ' \n ' })).toEqual([422, 'invalid_input'])
      expect(await refusal({ ...grant, kind: 'remove' })).toEqual([422, 'invalid_input'])
      expect(await refusal({ ...grant, subject: crypto.randomUUID() })).toEqual([404, 'not_found'])
      expect((await desk(grant, { cookie: theirs })).status).toBe(401)
      expect((await desk(grant, { origin: 'https://evil.example' })).status).toBe(403)
    })

    it('above the setting is refused and recorded while there is one operator', async () => {
      const user = await kinora.newUser()
      expect(await refusal({ kind: 'grant', subject: user.userId, amount: 5_001 })).toEqual([
        403,
        'second_operator_required',
      ])
      expect(await remaining(user)).toBe(60)
      const { rows } = await db.pool.query('select status, why from desk_action where user_id = $1', [user.userId])
      expect(rows).toEqual([{ status: 'refused', why: 'second_operator_required' }])
    })

    it('to an account that is deleted in the meantime gives nothing', async () => {
      const user = await kinora.newUser()
      await user.call('POST', '/users/delete', { password: 'correct horse' })
      expect(await refusal({ kind: 'grant', subject: user.userId, amount: 40 })).toEqual([404, 'not_found'])
    })
  })

  describe('a take', () => {
    it('removes credits, and fails if there are too few', async () => {
      const user = await kinora.newUser()
      expect(await order({ kind: 'take', subject: user.userId, amount: 25 })).toMatchObject({ status: 'done' })
      expect(await remaining(user)).toBe(35)
      const failed = await order({ kind: 'take', subject: user.userId, amount: 36 })
      expect(failed).toMatchObject({ status: 'failed', why: 'insufficient_credits' })
      expect(await remaining(user)).toBe(35)
    })
  })

  describe('a refund', () => {
    it('proposes the exact unused share, and refunds a sale no more than whole', async () => {
      const user = await kinora.newUser()
      await buyPlan(kinora, user, 'pro')
      const [sale] = await invoices(user)
      const before = await remaining(user)
      const part = await order({ kind: 'refund', subject: sale!.payment, amount: 1_000 })
      expect(part).toMatchObject({ status: 'done', amount: 1_000, currency: 'USD', user_id: user.userId })
      await soon(async () =>
        expect(await invoices(user)).toMatchObject([{ refunded: 1_000, status: 'partially_refunded' }]),
      )
      await soon(async () => expect(await remaining(user)).toBeLessThan(before))
      const [one, other] = await Promise.all([1, 2].map(() => desk({ kind: 'refund', subject: sale!.payment })))
      const outcomes = await Promise.all([one!, other!].map((answer) => answer.json()))
      const states = outcomes.map((outcome) => (outcome as { action?: DeskAction }).action?.status)
      expect(states.filter((status) => status === 'done')).toHaveLength(1)
      await soon(async () =>
        expect(await invoices(user)).toMatchObject([{ refunded: sale!.amount, status: 'refunded' }]),
      )
      await soon(async () => expect(await remaining(user)).toBe(60))
      expect(await refusal({ kind: 'refund', subject: sale!.payment, amount: 1 })).toEqual([409, 'nothing_to_refund'])
      expect(await refusal({ kind: 'refund', subject: 'UNKNOWN' })).toEqual([404, 'not_found'])
    })
  })

  describe('a suspension', () => {
    it('ends sessions and sockets, refuses keys and orders, keeps videos and the plan, and tells the person how to appeal', async () => {
      const user = await kinora.newUser()
      await buyPlan(kinora, user, 'pro')
      await user.call('PUT', '/users/language', { language: 'zh' })
      const made = await user.call('POST', '/keys', {
        name: 'Script',
        scopes: ['videos:read'],
        password: 'correct horse',
      })
      const { key } = (await made.json()) as { key: string }
      const models = () => fetch(`${kinora.url}/v1/videos`, { headers: { authorization: `Bearer ${key}` } })
      expect((await models()).status).toBe(200)
      const socket = new WebSocket(await user.socketAddress())
      const closed = new Promise((resolve) => socket.on('close', resolve))
      await new Promise((resolve) => socket.on('open', resolve))

      const action = await order({ kind: 'suspend', subject: user.userId, reason: 'Spam <b>& more</b>' })
      expect(action).toMatchObject({ status: 'done' })
      await closed
      expect((await user.call('GET', '/auth/me')).status).toBe(401)
      expect((await user.call('POST', '/auth/refresh')).status).toBe(401)
      expect((await models()).status).toBe(403)

      const again = await signIn(user)
      expect((await again.call('GET', '/videos/tasks')).status).toBe(200)
      const current = (await (await again.call('GET', '/subscriptions/current')).json()) as object
      expect(current).toMatchObject({ tier: 'pro', status: 'active' })
      const refused = [
        ['/videos/generate', VIDEO],
        ['/keys', { name: 'Other', scopes: ['videos:read'], password: 'correct horse' }],
        ['/credits/redeem', { code: 'K7QM-2R4T-9XWB-0HJC-V3ZD' }],
        ['/subscriptions/upgrade', { new_tier: 'ultimate', billing_cycle: 'monthly' }],
      ] as const
      for (const [route, body] of refused) {
        const answer = await again.call('POST', route, body)
        expect([route, answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
          route,
          403,
          'account_suspended',
        ])
      }
      await soon(async () => {
        const [mail] = (await kinora.mails(user.email)) as { subject: string; text: string; html?: string }[]
        expect(mail).toMatchObject({ subject: '你的 Kinora 账号已被暂停' })
        expect(mail!.text).toContain('mailto:support@kinora.example')
        expect(mail!.text).toContain('Spam')
      })
      // Repeated, it changes nothing: the session that was opened since stays.
      expect(await order({ kind: 'suspend', subject: user.userId })).toMatchObject({ status: 'done' })
      expect((await again.call('GET', '/auth/me')).status).toBe(200)

      expect(await order({ kind: 'restore', subject: user.userId })).toMatchObject({ status: 'done' })
      await soon(async () => expect((await models()).status).toBe(200))
      expect((await again.call('POST', '/videos/generate', VIDEO)).status).toBe(202)
      await soon(async () => expect(await subjects(user)).toContain('你的 Kinora 账号已恢复'))
      expect((await subjects(user)).filter((subject) => /已被暂停/.test(subject))).toHaveLength(1)
      const { records } = await read<{ records: { event: string }[] }>(again, '/users/security')
      expect(records.map(({ event }) => event)).toEqual(expect.arrayContaining(['restored', 'suspended']))
    })

    it("keeps a team from spending its owner's credits", async () => {
      const [owner, member] = [await kinora.newUser(), await kinora.newUser()]
      await buyPlan(kinora, owner, 'ultimate')
      const id = await eventually(async () => {
        const made = await owner.call('POST', '/teams', { name: 'Studio' })
        expect(made.status).toBe(201)
        return ((await made.json()) as { team: { id: string } }).team.id
      })
      await owner.call('POST', `/teams/${id}/invitations`, { email: member.email, credits_per_month: null })
      const [, token] = /#token=([\w-]+)/.exec((await kinora.mails(member.email))[0]!.text)!
      expect((await member.call('POST', '/teams/invitations/accept', { token })).status).toBe(200)
      const orders = async () => {
        const answer = await member.call('POST', '/videos/generate', { ...VIDEO, team_id: id })
        return [answer.status, ((await answer.json()) as { code?: string }).code]
      }
      expect(await orders()).toEqual([202, undefined])
      await order({ kind: 'suspend', subject: owner.userId })
      await soon(async () => expect(await orders()).toEqual([403, 'not_in_team']))
      await order({ kind: 'restore', subject: owner.userId })
      await soon(async () => expect(await orders()).toEqual([202, undefined]))
    })

    it('lets a render finish, which is charged once', async () => {
      const user = await kinora.newUser()
      expect((await user.call('POST', '/videos/generate', VIDEO)).status).toBe(202)
      await order({ kind: 'suspend', subject: user.userId })
      const again = await signIn(user)
      await soon(async () => {
        const { tasks } = await read<{ tasks: { status: string }[] }>(again, '/videos/tasks')
        expect(tasks).toMatchObject([{ status: 'Success' }])
      })
      expect(await remaining(again)).toBe(30)
    })
  })

  describe('acts about access', () => {
    it('sign_out ends every session, and tells the person once', async () => {
      const user = await kinora.newUser()
      expect(await order({ kind: 'sign_out', subject: user.userId })).toMatchObject({ status: 'done' })
      expect((await user.call('GET', '/auth/me')).status).toBe(401)
      expect((await login(user.email)).status).toBe(200)
      const signedOut = async () => (await subjects(user)).filter((each) => /signed out of Kinora/.test(each))
      await soon(async () => expect(await signedOut()).toHaveLength(1))
    })

    it('send_reset mails a link that sets a password', async () => {
      const user = await kinora.newUser()
      expect(await order({ kind: 'send_reset', subject: user.userId })).toMatchObject({ status: 'done' })
      await soon(async () => expect(await subjects(user)).toContain('Reset your Kinora password'))
      const [mail] = await kinora.mails(user.email)
      const token = /token=([\w-]+)/.exec(mail!.text)![1]
      expect((await kinora.post('/auth/reset-password', { token, new_password: 'a better horse' })).status).toBe(200)
    })

    it('verify_email verifies an address and grants the free credits once', async () => {
      const email = `late.${Date.now()}@kinora.test`
      await kinora.post('/auth/register', { email, password: 'correct horse', username: 'Late' })
      const { rows } = await db.pool.query<{ id: string }>('select id from user_account where email = $1', [email])
      expect((await login(email)).status).toBe(403)
      const subject = rows[0]!.id
      expect(await order({ kind: 'send_reset', subject })).toMatchObject({
        status: 'failed',
        why: 'email_not_verified',
      })
      expect(await order({ kind: 'verify_email', subject })).toMatchObject({ status: 'done' })
      expect(await order({ kind: 'verify_email', subject })).toMatchObject({ status: 'done' })
      await soon(async () =>
        expect((await kinora.mails(email)).filter((each) => /is verified/.test(each.subject))).toHaveLength(1),
      )
      const answer = await login(email)
      const session = answer.headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; ')
      const stats = await fetch(`${kinora.api}/subscriptions/stats`, { headers: { cookie: session } })
      expect(await stats.json()).toMatchObject({ remaining_credits: 60 })
    })

    it('verify_email gives no password to a stranger who registered the address, too', async () => {
      const email = `squatted.${Date.now()}@kinora.test`
      for (const password of ['a stranger’s horse', 'correct horse'])
        await kinora.post('/auth/register', { email, password, username: 'Somebody' })
      const { rows } = await db.pool.query<{ id: string }>('select id from user_account where email = $1', [email])
      expect(await order({ kind: 'verify_email', subject: rows[0]!.id })).toMatchObject({ status: 'done' })
      expect((await login(email)).status).toBe(401)
      expect((await kinora.post('/auth/login', { email, password: 'a stranger’s horse' })).status).toBe(401)
      await soon(async () =>
        expect((await kinora.mails(email))[0]).toMatchObject({ subject: 'Reset your Kinora password' }),
      )
    })
  })

  describe('cancel_task', () => {
    it('cancels a waiting video and gives its credits back', async () => {
      const user = await kinora.newUser()
      const answers = await Promise.all([1, 2].map(() => user.call('POST', '/videos/generate', VIDEO)))
      const tasks = await Promise.all(
        answers.map(async (answer) => ((await answer.json()) as { task: { id: string } }).task),
      )
      const before = await remaining(user)
      const cancelled = await order({ kind: 'cancel_task', subject: tasks.at(-1)!.id })
      expect(cancelled).toMatchObject({ user_id: user.userId })
      expect(['done', 'failed']).toContain(cancelled.status)
      if (cancelled.status === 'done') await soon(async () => expect(await remaining(user)).toBe(before + 30))
    })
  })

  describe('the search', () => {
    const find = async (q: string) => {
      const answer = await fetch(`${kinora.api}/desk/search?${new URLSearchParams({ q })}`, { headers: { cookie } })
      return (
        (await answer.json()) as { results: { kind: string; id: string; label: string; user_id: string | null }[] }
      ).results
    }

    it('finds a person by address, name and id, and by what is theirs', async () => {
      const user = await kinora.newUser(`needle.${Date.now()}@kinora.test`)
      await user.call('PUT', '/users/name', { username: 'Zoë 100%_Needle' })
      const order = await buyPlan(kinora, user, 'standard')
      const [sale] = await invoices(user)
      const video = await user.call('POST', '/videos/generate', VIDEO)
      const { task } = (await video.json()) as { task: { id: string } }
      const made = await user.call('POST', '/keys', {
        name: 'Script',
        scopes: ['videos:read'],
        password: 'correct horse',
      })
      const { key, hint, id: keyId } = (await made.json()) as Record<'key' | 'hint' | 'id', string>
      const issued = await fetch(`${kinora.api}/analytics/codes`, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json' },
        body: JSON.stringify({ label: 'Fair', credits: 5 }),
      })
      const { codes } = (await issued.json()) as { codes: string[] }
      await user.call('POST', '/credits/redeem', { code: codes[0] })
      const own = { user_id: user.userId }
      for (const q of [user.email.slice(0, 12).toUpperCase(), 'zoë 100%_n', ` ${user.userId} `])
        expect(await find(q)).toMatchObject([
          { kind: 'person', id: user.userId, label: expect.stringContaining('n•••@k•••.test'), ...own },
        ])
      for (const q of [sale!.payment, order])
        expect(await find(q)).toMatchObject([{ kind: 'payment', id: sale!.payment, ...own }])
      await soon(async () => expect(await find(task.id)).toMatchObject([{ kind: 'video', id: task.id, ...own }]))
      for (const q of [key, hint]) expect(await find(q)).toMatchObject([{ kind: 'key', id: keyId, ...own }])
      expect(await find(codes[0]!.toLowerCase())).toMatchObject([{ kind: 'code', ...own }])
      for (const q of ['', 'z', 'zoë 100_', '%', "' or 1=1 --"]) expect(await find(q)).toEqual([])
    })
  })

  describe('the page of a person', () => {
    const open = async (id: string, reveal = false, headers: object = { cookie }) => {
      const [method, road] = reveal ? ['POST', '/reveal'] : ['GET', '']
      const answer = await fetch(`${kinora.api}/desk/people/${id}${road}`, { method, headers: { ...headers } })
      return { status: answer.status, ...((await answer.json()) as { person: Person; masked?: true }) }
    }

    it('shows the plan, every movement, videos, payments, keys, sessions, mails, the security log, notes and actions', async () => {
      const user = await kinora.newUser()
      await buyPlan(kinora, user, 'standard')
      await user.call('POST', '/videos/generate', VIDEO)
      await user.call('POST', '/keys', { name: 'Script', scopes: ['videos:read'], password: 'correct horse' })
      await order({ kind: 'grant', subject: user.userId, amount: 5 })
      const text = '<img src=x onerror=alert(1)> asks about a refund'
      const note = await fetch(`${kinora.api}/desk/people/${user.userId}/notes`, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json' },
        body: JSON.stringify({ text }),
      })
      expect(note.status).toBe(201)
      // The parts of the page are read side by side, while the read models still change.
      const person = await eventually(async () => {
        const { videos, balance, ...parts } = (await open(user.userId)).person as Person
        expect(videos.items).toMatchObject([{ status: 'Success', engine: expect.any(String), credits: 30 }])
        expect(balance.items.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['adjustment', 'spend', 'grant']))
        const [video] = videos.items
        const line = balance.items.find(({ task_id }) => task_id === video!.id)
        expect(line?.film).toEqual({ prompt: '', thumbnail_url: video!.poster })
        expect(parts.actions.items).toMatchObject([{ kind: 'grant', status: 'done', operator: 'olga' }])
        return { videos, balance, ...parts }
      })
      expect(person).toMatchObject({ plan: { current_tier: 'standard' }, suspended: false, second_factors: [] })
      const { items } = person.balance
      for (const { revision, id } of items)
        expect(
          (
            await db.pool.query('select from event where stream = $1 and revision = $2', [
              `creditAccount-${user.userId}`,
              revision,
            ])
          ).rowCount,
          id,
        ).toBe(1)
      const [payment] = person.payments.items
      const left = Math.floor((payment!.amount * (payment!.credits - 30 * 0)) / payment!.credits)
      expect(payment!.unused).toBeLessThanOrEqual(left)
      expect(payment!.refundable).toBe(payment!.amount)
      expect(person.keys).toMatchObject([{ name: 'Script' }])
      expect(person.sessions).toHaveLength(1)
      expect(person.mails.map(({ subject }) => subject)).toContain('Verify your email for Kinora')
      expect(person.security.items.map(({ event }) => event)).toContain('signed_in')
      expect(person.notes).toMatchObject([{ text, operator: 'olga' }])
      const poster = await fetch(kinora.url + person.videos.items[0]!.poster, { headers: { cookie } })
      expect([poster.status, poster.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
      expect(
        (await fetch(kinora.url + person.videos.items[0]!.poster, { headers: { cookie: user.cookie } })).status,
      ).toBe(401)
    })

    it('shows addresses only if asked for them, which is recorded', async () => {
      const user = await kinora.newUser()
      const shown = `select from operator_action where action = 'person_shown' and detail = $1`
      const count = async () => (await db.pool.query(shown, [`user ${user.userId}`])).rowCount
      expect(await open(user.userId)).toMatchObject({ status: 200, masked: true, person: { email: 'u•••@k•••.test' } })
      expect(await count()).toBe(0)
      const revealed = await open(user.userId, true)
      expect(revealed).toMatchObject({ status: 200, person: { email: user.email } })
      expect(revealed.masked).toBeUndefined()
      expect(await count()).toBe(1)
      expect((await open(user.userId, false, { cookie: user.cookie })).status).toBe(401)
      expect([(await open(crypto.randomUUID())).status, (await open('nobody')).status]).toEqual([404, 404])
    })
  })

  describe('the audit', () => {
    it('finds every grant, take and refund with its action', async () => {
      await kinora.close({ keep: true })
      let printed = ''
      const print = (text: string) => {
        printed += text
      }
      const code = await runAudit(['verify', '--json'], {
        env: { DATA_DIR, DATABASE_URL: db.url },
        print,
        printError: print,
      })
      const found = JSON.parse(printed)
      const desk = { grant: 2, take: 1, refund: 2, release_task: 0, retry_task: 0, signed: 0, unsigned: 21 }
      expect([code, found.deviations, found.desk]).toMatchObject([0, [], desk])
    })
  })
})
