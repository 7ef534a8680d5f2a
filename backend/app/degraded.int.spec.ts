import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { PROJECTIONS } from '#projections/all.ts'
import { tableName } from '#projections/engine/readModel.ts'
import { freePort } from '../testing/freePort.ts'
import { stopwatch } from '../testing/stopwatch.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'

let db: TemporaryDatabase
let env: Record<string, string>
const running: TestKinora[] = []
beforeAll(async () => {
  db = await startTemporaryDatabase()
  env = {
    DATABASE_URL: db.url,
    PUBLIC_URL: `http://localhost:${await freePort()}`,
    SESSION_SECRET: 's'.repeat(32),
    ENCRYPTION_KEY: 'ab'.repeat(32),
    DATA_DIR: `${db.postgres.dataDir}-kinora`,
  }
})
afterAll(async () => {
  for (const kinora of running) await kinora.close({ keep: true })
  await db.close()
})

const start = async (roles: string, port = new URL(env.PUBLIC_URL!).port) => {
  const kinora = await startTestKinora({ env: { ...env, ROLES: roles, PORT: port } })
  running.push(kinora)
  return kinora
}
const readyz = async (url: string) => {
  const answer = await fetch(`${url}/readyz`)
  return [answer.status, await answer.json()]
}
const behind = PROJECTIONS.map(tableName).toSorted()

describe('an API without a projector', () => {
  it('serves after ten seconds, names the read models that are behind, and again when they stall', async () => {
    const waited = stopwatch()
    const api = await start('api')
    waited.atLeast(9_000)
    expect(await readyz(api.url)).toEqual([200, { status: 'degraded', behind }])
    expect((await fetch(`${api.url}/api/v1/status`)).status).toBe(200)

    const projector = await start('projections,workflows', '0')
    expect(await readyz(api.url)).toEqual([200, { status: 'ready' }])
    running.pop()
    await projector.close({ keep: true })
    expect(await readyz(api.url)).toEqual([200, { status: 'ready' }])
    await eventually(async () => expect(await readyz(api.url)).toEqual([200, { status: 'degraded', behind }]))
  })
})
