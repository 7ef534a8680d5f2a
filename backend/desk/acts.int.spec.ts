import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import { runAudit } from '../programs/audit.ts'
import { createProviderDouble, type ProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { videoTask } from '../tasks/videoTask.decider.ts'
import { buyPlan, postDev, read, readStats, soon } from '../testing/plans.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import type { TestUser } from '../testing/testUser.ts'
import type { Bulk, Group } from '../triage/contract.ts'
import type { DeskAction } from './contract.ts'

const OPERATOR = { username: 'olga', password: 'a password for olga' }
const DATA_DIR = mkdtempSync(path.join(os.tmpdir(), 'kinora-acts-'))
const HOUR_MS = 3_600_000

let db: TemporaryDatabase
let kinora: TestKinora
let provider: ProviderDouble
let cookie = ''
let user: TestUser
beforeAll(async () => {
  db = await startTemporaryDatabase()
  provider = await createProviderDouble()
  const env = { OPERATOR_USERNAME: OPERATOR.username, OPERATOR_PASSWORD: OPERATOR.password, DATABASE_URL: db.url }
  kinora = await startTestKinora({ provider, env: { ...env, DATA_DIR } })
  cookie = (await kinora.post('/analytics/login', OPERATOR)).headers.getSetCookie()[0]!.split(';')[0]!
})
afterAll(async () => {
  await kinora?.close({ keep: true })
  await db?.close()
  rmSync(DATA_DIR, { recursive: true, force: true })
})
beforeEach(async () => {
  provider.answer = () => ({ kind: 'finished' })
  user = await kinora.newUser()
})

const desk = (route: string, body?: object) =>
  fetch(`${kinora.api}/desk${route}`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify({ reason: 'a remedy', ...body }) }),
  })
async function order(body: object): Promise<DeskAction> {
  const answer = await desk('/actions', body)
  expect([answer.status, answer.statusText]).toEqual([201, 'Created'])
  return ((await answer.json()) as { action: DeskAction }).action
}
const refusal = async (answer: Promise<Response>) => {
  const { status, ...given } = await answer.then(async (each) => ({
    status: each.status,
    ...((await each.json()) as { code: string }),
  }))
  return [status, given.code]
}
const remaining = async () => (await readStats(user)).remaining_credits
const subjects = async (email = user.email) => (await kinora.mails(email)).map(({ subject }) => subject)
const mailed = (pattern: RegExp, email = user.email) =>
  soon(async () => expect((await subjects(email)).filter((subject) => pattern.test(subject))).toHaveLength(1))
const login = (email: string) => kinora.post('/auth/login', { email, password: 'correct horse' })
const pass = (hours: number) => postDev(kinora, 'clock', { advance_ms: hours * HOUR_MS })
const statusOf = async (id: string) =>
  (
    await db.pool.query<{ status: string; why: string | null }>('select status, why from desk_action where id = $1', [
      id,
    ])
  ).rows[0]
const VIDEO = {
  task_type: 'text_to_video',
  model: 'MiniMax-Hailuo-02',
  resolution: '768P',
  duration: 6,
  prompt: 'A cat',
}
async function orderVideo(): Promise<string> {
  const answer = await user.call('POST', '/videos/generate', VIDEO)
  expect(answer.status).toBe(202)
  return ((await answer.json()) as { task: { id: string } }).task.id
}
const tasks = async () =>
  (
    await read<{ tasks: { id: string; status: string; error_code: string | null; prompt: string }[] }>(
      user,
      '/videos/tasks',
    )
  ).tasks
const deletionLink = async (pattern: RegExp) => {
  const mail = (await kinora.mails(user.email)).find(({ subject }) => pattern.test(subject))
  return /token=([\w-]+)/.exec(mail!.text)![1]
}
async function setUpTotp() {
  const begun = await user.call('POST', '/users/totp', { password: 'correct horse' })
  const { secret } = (await begun.json()) as { secret: string }
  expect(
    (await user.call('POST', '/users/totp/confirm', { code: TOTP.generate({ secret: new TOTP({ secret }).secret }) }))
      .status,
  ).toBe(200)
}

const triage = async () => {
  const answer = await fetch(`${kinora.api}/desk/triage`, { headers: { cookie } })
  return (await answer.json()) as { groups: Group[]; bulks: Bulk[] }
}

describe('acts of the desk', { shuffle: false }, () => {
  it('grants, takes and refunds are told to the person with the reason', async () => {
    await buyPlan(kinora, user, 'standard')
    const { invoices } = await read<{ invoices: { payment: string }[] }>(user, '/subscriptions/invoices')
    await order({ kind: 'grant', subject: user.userId, amount: 40, reason: 'For the outage.' })
    await order({ kind: 'take', subject: user.userId, amount: 15 })
    await order({ kind: 'refund', subject: invoices[0]!.payment, amount: 250 })
    await mailed(/^You have 40 more Kinora credits$/)
    await mailed(/^We took 15 Kinora credits back$/)
    await mailed(/^Your refund of 2\.50 USD$/)
    const grant = (await kinora.mails(user.email)).find(({ subject }) => subject.startsWith('You have 40'))
    expect(grant!.text).toContain('For the outage.')
  })

  it('release_task ends a stuck video once, and gives its credits back', async () => {
    provider.answer = () => ({ kind: 'rendering', percent: 1 })
    const subject = await orderVideo()
    await soon(async () => expect(await tasks()).toMatchObject([{ status: 'Processing' }]))
    expect(await remaining()).toBe(30)
    const released = await Promise.all([1, 2, 3].map(() => order({ kind: 'release_task', subject })))
    expect(released.map(({ status }) => status).sort()).toEqual(['done', 'failed', 'failed'])
    expect(await remaining()).toBe(60)
    expect(await tasks()).toMatchObject([{ status: 'Fail', error_code: 'render_timed_out' }])
    await mailed(/credits are back/)
    expect(await order({ kind: 'release_task', subject })).toMatchObject({ status: 'failed', why: 'cannot_release' })
  })

  it('retry_task orders a failed video again once, for the credits of its owner', async () => {
    provider.answer = () => ({ kind: 'failed', code: 'provider_failed', detail: 'out of luck' })
    const subject = await orderVideo()
    await soon(async () => expect(await tasks()).toMatchObject([{ status: 'Fail' }]))
    provider.answer = () => ({ kind: 'finished' })
    const [id, other] = [crypto.randomUUID(), crypto.randomUUID()]
    const ordered = await Promise.all([id, id, other].map((id) => order({ id, kind: 'retry_task', subject })))
    const outcomes = new Map(ordered.map(({ id, status, why }) => [id, { status, why }]))
    expect([...outcomes.values()]).toEqual(
      expect.arrayContaining([
        { status: 'done', why: null },
        { status: 'failed', why: 'cannot_retry' },
      ]),
    )
    await soon(async () => expect((await tasks()).map(({ status }) => status).sort()).toEqual(['Fail', 'Success']))
    expect((await tasks()).map(({ prompt }) => prompt)).toEqual(['A cat', 'A cat'])
    expect(await remaining()).toBe(30)
    await mailed(/making your video again/)
    const again = (await tasks()).find(({ status }) => status === 'Success')!.id
    expect(await order({ kind: 'retry_task', subject: again })).toMatchObject({ status: 'failed', why: 'cannot_retry' })
  })

  it('retry_task ends if its order was given up before it was complete', async () => {
    provider.answer = () => ({ kind: 'failed', code: 'provider_failed', detail: 'out of luck' })
    const subject = await orderVideo()
    await soon(async () => expect(await tasks()).toMatchObject([{ status: 'Fail' }]))
    const id = crypto.randomUUID()
    const taskId = derivedId('retry', id)
    const context = { commandId: taskId, actor: 'system', correlationId: taskId }
    const at = new Date().toISOString()
    await kinora.context.handle(videoTask, taskId, { type: 'Abandon', taskId, at }, context)
    provider.answer = () => ({ kind: 'finished' })
    expect(await order({ id, kind: 'retry_task', subject })).toMatchObject({ status: 'failed', why: 'cannot_retry' })
    expect(await order({ kind: 'retry_task', subject })).toMatchObject({ status: 'done' })
    await soon(async () => expect((await tasks()).map(({ status }) => status).sort()).toEqual(['Fail', 'Success']))
  })

  it('cancel_plan ends the plan with its paid time', async () => {
    expect(await order({ kind: 'cancel_plan', subject: user.userId })).toMatchObject({
      status: 'failed',
      why: 'no_subscription',
    })
    await buyPlan(kinora, user, 'pro')
    expect(await order({ kind: 'cancel_plan', subject: user.userId })).toMatchObject({ status: 'done' })
    await soon(async () => {
      const current = await read<{ status: string; tier: string }>(user, '/subscriptions/current')
      expect(current).toMatchObject({ tier: 'pro', status: 'cancelled' })
    })
    await mailed(/plan was cancelled/)
  })

  it('remove_factor waits a day, is announced, and then leaves the password alone', async () => {
    expect(await refusal(desk('/actions', { kind: 'remove_factor', subject: user.userId }))).toEqual([
      409,
      'no_second_factor',
    ])
    await setUpTotp()
    const action = await order({ kind: 'remove_factor', subject: user.userId })
    expect(action.status).toBe('scheduled')
    await mailed(/second factor will be removed/)
    expect((await login(user.email)).status).toBe(401)
    await pass(25)
    await soon(async () => expect(await statusOf(action.id)).toEqual({ status: 'done', why: null }))
    expect((await login(user.email)).status).toBe(200)
  })

  it('change_address warns both addresses, and moves the account after a day', async () => {
    const address = `moved.${Date.now()}@kinora.test`
    const change = { kind: 'change_address', subject: user.userId }
    expect(await refusal(desk('/actions', change))).toEqual([422, 'invalid_input'])
    const { email: taken } = await kinora.newUser()
    expect(await refusal(desk('/actions', { ...change, address: taken }))).toEqual([409, 'email_already_registered'])
    const action = await order({ ...change, address })
    await mailed(/address of your Kinora account will change/)
    await mailed(/This address will belong to a Kinora account/, address)
    const stored = await db.pool.query('select data from event where stream = $1', [`deskAction-${action.id}`])
    expect(JSON.stringify(stored.rows)).not.toContain(address)
    await pass(25)
    await soon(async () => expect((await login(address)).status).toBe(200))
    expect((await login(user.email)).status).toBe(401)
    await mailed(/address of your Kinora account was changed/)
    await mailed(/address of your Kinora account was changed/, address)
  })

  it('change_address gives no password to a stranger who registered the former address, too', async () => {
    const [email, address] = [`squatted.${Date.now()}@kinora.test`, `freed.${Date.now()}@kinora.test`]
    const passwords = ['a stranger’s horse', 'correct horse']
    for (const password of passwords) await kinora.post('/auth/register', { email, password, username: 'Somebody' })
    const { rows } = await db.pool.query<{ id: string }>('select id from user_account where email = $1', [email])
    await order({ kind: 'change_address', subject: rows[0]!.id, address })
    await pass(25)
    await mailed(/^Reset your Kinora password$/, address)
    for (const password of passwords)
      expect((await kinora.post('/auth/login', { email: address, password })).status).toBe(401)
  })

  it('change_address grants the free credits of an account whose former address was never verified', async () => {
    const [email, address] = [`mistyped.${Date.now()}@kinora.test`, `corrected.${Date.now()}@kinora.test`]
    await kinora.post('/auth/register', { email, password: 'correct horse', username: 'Somebody' })
    const { rows } = await db.pool.query<{ id: string }>('select id from user_account where email = $1', [email])
    await order({ kind: 'change_address', subject: rows[0]!.id, address })
    await pass(25)
    await soon(async () => expect((await login(address)).status).toBe(200))
    const granted = await db.pool.query('select from free_grant where user_id = $1', [rows[0]!.id])
    expect(granted.rowCount).toBe(1)
  })

  it('delete_account waits a week, and can be stopped by the operator and by the person', async () => {
    const deletion = { kind: 'delete_account', subject: user.userId }
    const first = await order(deletion)
    const stopped = await desk(`/actions/${first.id}/stop`)
    expect(await stopped.json()).toMatchObject({ action: { status: 'refused', why: 'stopped' } })
    const second = await order(deletion)
    await soon(async () => expect((await subjects()).filter((each) => /will be deleted/.test(each))).toHaveLength(2))
    expect((await kinora.post('/auth/secure', { token: await deletionLink(/will be deleted/) })).status).toBe(200)
    await soon(async () => expect(await statusOf(second.id)).toEqual({ status: 'refused', why: 'stopped_by_person' }))
    const third = await order(deletion)
    await pass(7 * 24 + 1)
    await soon(async () => expect(await statusOf(third.id)).toEqual({ status: 'done', why: null }))
    expect(await refusal(desk(`/actions/${third.id}/stop`))).toEqual([409, 'too_late'])
    const { rows } = await db.pool.query('select from user_account where id = $1', [user.userId])
    expect(rows).toEqual([])
  })

  it('a bulk counts first, makes each failed video again once, and can be stopped', async () => {
    provider.answer = () => ({ kind: 'failed', code: 'provider_failed', detail: 'out of luck' })
    const makers = await Promise.all([1, 2].map(() => kinora.newUser()))
    for (user of [...makers, ...makers]) await orderVideo()
    await soon(async () => {
      const { groups } = await triage()
      expect(groups.find(({ code }) => code === 'provider_failed')?.count).toBeGreaterThanOrEqual(4)
    })
    provider.answer = () => ({ kind: 'finished' })
    const { groups } = await triage()
    const { count, engine } = groups.find(({ code }) => code === 'provider_failed')!
    const bulk = { kind: 'retry_task', code: 'provider_failed', engine }
    const dry = await desk('/bulks', { ...bulk, dry_run: true })
    expect(await dry.json()).toMatchObject({ count, credits: 30 * count, bulk: null })
    const changed = desk('/bulks', { ...bulk, dry_run: false, expected: count + 1 })
    expect(await refusal(changed)).toEqual([409, 'count_changed'])
    const ordered = { ...bulk, dry_run: false, expected: count, id: crypto.randomUUID() }
    await Promise.all([1, 2].map(() => desk('/bulks', ordered)))
    await soon(async () =>
      expect((await triage()).bulks).toMatchObject([{ id: ordered.id, status: 'ended', done: count, failed: 0 }]),
    )
    for (user of makers)
      await soon(async () =>
        expect((await tasks()).map(({ status }) => status).sort()).toEqual(['Fail', 'Fail', 'Success', 'Success']),
      )
    expect((await triage()).groups.filter(({ code }) => code === 'provider_failed')).toEqual([])
    const stopped = await desk(`/bulks/${ordered.id}/stop`)
    expect(await stopped.json()).toMatchObject({ bulk: { status: 'ended' } })
  })

  it('the log proves each of them', async () => {
    let printed = ''
    const print = (text: string) => {
      printed += text
    }
    const env = { DATA_DIR, DATABASE_URL: db.url }
    const sql = "select count(*)::int as done from desk_action where kind = 'retry_task' and status = 'done'"
    const retried = (await db.pool.query<{ done: number }>(sql)).rows[0]!.done
    expect(retried).toBeGreaterThanOrEqual(5)
    const code = await runAudit(['verify', '--json'], { env, print, printError: print })
    const found = JSON.parse(printed)
    expect([code, found.deviations, found.desk]).toMatchObject([
      0,
      [],
      { grant: 1, take: 1, refund: 1, release_task: 1, retry_task: retried },
    ])
  })
})
