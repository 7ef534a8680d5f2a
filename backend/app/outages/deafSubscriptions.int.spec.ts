import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { EventStoreDbTestServer } from '../../kernel/eventsourcing/testing/eventStoreDbTestServer.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'

describe('Kinora whose event store stays connected and delivers nothing', () => {
  let server: EventStoreDbTestServer
  let kinora: TestKinora
  beforeAll(async () => {
    server = await new EventStoreDbTestServer().start()
    kinora = await startTestKinora({ env: { EVENTSTORE_URL: server.url } })
  })
  afterAll(async () => {
    await kinora.close()
    server.kill()
  })

  const readyz = async () => {
    const answer = await fetch(`${kinora.url}/readyz`)
    return { status: answer.status, body: (await answer.json()) as { silent?: string[] } }
  }
  const credits = async (user: Awaited<ReturnType<TestKinora['newUser']>>) =>
    ((await (await user.call('GET', '/subscriptions/stats')).json()) as { remaining_credits: number }).remaining_credits

  it('is unavailable within 30 s, alerts the operator, and catches up without a restart', async () => {
    expect(await readyz()).toMatchObject({ status: 200 })
    server.deaf = true
    const user = await kinora.newUser()
    const silent = { status: 503, body: { silent: expect.arrayContaining(['readModels']) } }
    await eventually(async () => expect(await readyz()).toMatchObject(silent))
    const alert = { code: 'subscription_silent', detail: expect.stringContaining('although the log grew') }
    const sql = 'select code, detail from operator_alert where cleared_at is null'
    await eventually(async () => expect((await kinora.context.pool.query(sql)).rows).toEqual([alert]))
    expect(await credits(user)).toBe(0)

    server.deaf = false
    await eventually(async () => expect(await credits(user)).toBe(60))
    await eventually(async () => expect(await readyz()).toMatchObject({ status: 200 }))
    const { rows: lots } = await kinora.context.pool.query('select count(*)::int as lots from credit_entry')
    expect(lots).toEqual([{ lots: 1 }])
  })
})
