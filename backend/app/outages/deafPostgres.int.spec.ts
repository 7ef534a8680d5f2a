import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { startDeafProxy } from '../../kernel/postgres/testing/deafProxy.ts'
import { freePort } from '../../testing/freePort.ts'
import { readStats } from '../../testing/plans.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'

describe('Kinora whose PostgreSQL delivers no notifications to the process with the read models', () => {
  let db: TemporaryDatabase
  let proxy: Awaited<ReturnType<typeof startDeafProxy>>
  let worker: TestKinora
  let workerUrl: string
  let api: TestKinora
  beforeAll(async () => {
    db = await startTemporaryDatabase()
    const { socketDir, port, user, database } = db.postgres.server
    proxy = await startDeafProxy({ path: path.join(socketDir, `.s.PGSQL.${port}`) })
    const [apiPort, workerPort] = [String(await freePort()), String(await freePort())]
    const shared = {
      PUBLIC_URL: `http://localhost:${apiPort}`,
      SESSION_SECRET: 's'.repeat(32),
      DATA_DIR: `${db.postgres.dataDir}-kinora`,
    }
    const through = { DATABASE_URL: `postgres://${user}@127.0.0.1:${proxy.port}/${database}` }
    const roles = { ROLES: 'projections,workflows', PORT: workerPort }
    worker = await startTestKinora({ env: { ...shared, ...through, ...roles } })
    workerUrl = `http://localhost:${workerPort}`
    proxy.deafen()
    api = await startTestKinora({ env: { ...shared, DATABASE_URL: db.url, ROLES: 'api', PORT: apiPort } })
  })
  afterAll(async () => {
    await api?.close()
    await worker?.close({ keep: true })
    await proxy?.close()
    await db?.close()
  })

  const readyz = async () => {
    const answer = await fetch(`${workerUrl}/readyz`)
    return { status: answer.status, body: (await answer.json()) as { silent?: string[] } }
  }
  const grants = async () => {
    const { rows } = await db.pool.query('select user_id, amount from credit_entry')
    return rows
  }

  it('delivers every event once by its safety interval', async () => {
    const users = await Promise.all(Array.from({ length: 5 }, () => api.newUser()))
    for (const user of users) await eventually(async () => expect((await readStats(user)).remaining_credits).toBe(60))
    expect(new Set((await grants()).map(({ user_id }) => user_id))).toEqual(new Set(users.map(({ userId }) => userId)))
    expect(await grants()).toHaveLength(users.length)
    expect(await readyz()).toMatchObject({ status: 200 })
    expect((await db.pool.query('select code from operator_alert')).rows).toEqual([])
  })

  it('is unavailable within 30 s if nothing is delivered at all, and catches up without a restart', async () => {
    const before = await grants()
    proxy.withhold('event_read_all')
    const user = await api.newUser()
    const silent = { status: 503, body: { silent: expect.arrayContaining(['readModels']) } }
    await eventually(async () => expect(await readyz()).toMatchObject(silent))
    const alerts = async () => (await db.pool.query('select code from operator_alert where cleared_at is null')).rows
    await eventually(async () => expect(await alerts()).toEqual([{ code: 'subscription_silent' }]))
    expect((await readStats(user)).remaining_credits).toBe(0)

    proxy.withhold()
    await eventually(async () => expect((await readStats(user)).remaining_credits).toBe(60))
    await eventually(async () => expect(await readyz()).toMatchObject({ status: 200 }))
    expect(await grants()).toEqual([...before, { user_id: user.userId, amount: 60 }])
  })
})
