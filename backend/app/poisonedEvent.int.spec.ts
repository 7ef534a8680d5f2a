import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import { runReplayParked } from '../programs/replayParked.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import type { TestUser } from '../testing/testUser.ts'

const OPERATOR = { OPERATOR_USERNAME: 'olga', OPERATOR_PASSWORD: 'a password for olga' }

let kinora: TestKinora
let ann: TestUser
let ben: TestUser
beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble(), env: OPERATOR })
  ann = await kinora.newUser()
  ben = await kinora.newUser()
})
afterAll(() => kinora?.close())

const grant = (userId: string, amount: number) => {
  const context = { commandId: uuid7(), actor: 'operator:olga', correlationId: uuid7() }
  return kinora.services.credits.adjust(userId, { adjustmentId: uuid7(), amount, reason: 'a test' }, context)
}
const remaining = async (user: TestUser) =>
  ((await (await user.call('GET', '/subscriptions/stats')).json()) as { remaining_credits: number }).remaining_credits
const readyz = async () => (await fetch(`${kinora.url}/readyz`)).json()

async function restart() {
  await kinora.close({ keep: true })
  kinora = await startTestKinora({
    provider: await createProviderDouble(),
    env: { ...OPERATOR, DATA_DIR: kinora.dataDir, PORT: new URL(kinora.url).port },
  })
}

/** Makes the table reject every further balance of a user. */
const poison = (userId: string) =>
  kinora.context.pool.query(`alter table credit_balance add constraint poison check (id <> '${userId}') not valid`)
const heal = () => kinora.context.pool.query('alter table credit_balance drop constraint poison')

async function operator() {
  const answer = await kinora.post('/analytics/login', { username: 'olga', password: OPERATOR.OPERATOR_PASSWORD })
  const headers = { cookie: answer.headers.getSetCookie()[0]!.split(';')[0]!, origin: kinora.url }
  const call = async (path: string, method = 'GET') =>
    (await fetch(`${kinora.api}/analytics/${path}`, { method, headers })).json()
  return call
}

describe('an event that a read model rejects', () => {
  it('stops neither other users under load nor a restart, is listed for the operator, and is healed by a replay', async () => {
    await poison(ann.userId)
    let loading = true
    let rounds = 0
    const load = (async () => {
      while (loading) {
        await Promise.all([grant(ann.userId, 1), ...Array.from({ length: 8 }, () => grant(uuid7(), 1))])
        rounds++
      }
    })()
    await expect.poll(() => rounds).toBeGreaterThan(10)
    await grant(ben.userId, 40)
    await eventually(async () => expect(await remaining(ben)).toBe(100))
    loading = false
    await load
    expect(await remaining(ann)).toBe(60)
    await expect.poll(readyz).toEqual({ status: 'ready' })

    await restart()
    await expect.poll(readyz).toEqual({ status: 'ready' })
    await grant(ann.userId, 1)
    const { rows } = await kinora.context.pool.query<{ total: number }>(
      `select sum((data->>'amount')::int)::int as total from event where stream = $1 and type = 'CreditLotGranted'`,
      [`creditAccount-${ann.userId}`],
    )
    const call = await operator()
    await eventually(async () => expect(await call('parked')).toMatchObject({ total: rows[0]!.total - 60 }))
    const list = (await call('parked?per_page=2')) as { events: object[]; total: number }
    const listed = { projection: 'creditBalances', stream: `creditAccount-${ann.userId}`, type: 'CreditLotGranted' }
    expect(list.events).toEqual([
      { ...listed, error: expect.stringMatching(/violates check constraint "poison"$/), parked_at: expect.any(String) },
      { ...listed, error: null, parked_at: expect.any(String) },
    ])
    expect(await (await fetch(`${kinora.url}/metrics`)).text()).toContain(
      `kinora_parked_events{projection="creditBalances"} ${list.total}`,
    )

    const printed: string[] = []
    const replay = (...args: string[]) =>
      runReplayParked(args, { DATA_DIR: kinora.dataDir }, (line) => printed.push(line))
    expect(await replay('--projection', 'creditBalances')).toBe(1)
    expect(printed).toEqual([
      `Events: 0 replayed, ${list.total} failed`,
      `Still parked in creditBalances: ${list.total}`,
    ])
    expect(await replay('--projection', 'nothing')).toBe(2)
    await heal()
    const healed = { success: true, replayed: list.total, failed: 0, remaining: 0 }
    expect(await call('parked/replay', 'POST')).toEqual(healed)
    expect(await call('parked')).toEqual({ success: true, events: [], total: 0 })
    expect(await replay()).toBe(0)
    expect(await call('actions')).toMatchObject({
      actions: [
        { action: 'events_replayed' },
        { action: 'events_replayed' },
        { action: 'events_replayed' },
        { action: 'signed_in' },
      ],
    })
    await eventually(async () => expect(await remaining(ann)).toBe(rows[0]!.total))
  })

  it('is replayed by the next process, which may know more', async () => {
    const balance = await remaining(ben)
    const call = await operator()
    await poison(ben.userId)
    await grant(ben.userId, 7)
    await eventually(async () => expect(await call('parked')).toMatchObject({ total: 1 }))
    await heal()
    await restart()
    await eventually(async () => expect(await remaining(ben)).toBe(balance + 7))
    expect(await (await operator())('parked')).toMatchObject({ total: 0 })
  })

  it('is listed and replayed for the operator only', async () => {
    for (const [path, method] of [
      ['parked', 'GET'],
      ['parked/replay', 'POST'],
    ])
      for (const cookie of ['', ann.cookie]) {
        const headers = { cookie, origin: kinora.url }
        expect((await fetch(`${kinora.api}/analytics/${path}`, { method: method!, headers })).status).toBe(401)
      }
  })
})
