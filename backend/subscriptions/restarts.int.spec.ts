import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { buyPlan } from '../testing/plans.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import type { Stats } from './contract.ts'

const DATA_DIR = mkdtempSync(path.join(os.tmpdir(), 'kinora-restarts-'))
let db: TemporaryDatabase
let kinora: TestKinora
const start = async () => {
  kinora = await startTestKinora({ env: { DATABASE_URL: db.url, DATA_DIR, SESSION_SECRET: 's'.repeat(32) } })
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

it('finds a refund whose webhook was lost after a restart, not only after a day', async () => {
  const user = await kinora.newUser()
  // The server has another address after its restart.
  const stats = async () => {
    const answer = await fetch(`${kinora.api}/subscriptions/stats`, { headers: { cookie: user.cookie } })
    return (await answer.json()) as Stats
  }
  await buyPlan(kinora, user, 'pro')
  await expect.poll(() => stats()).toMatchObject({ current_tier: 'pro', remaining_credits: 4560 })
  await kinora.close({ keep: true })
  await db.pool.query('update sandbox_sale set refunded_cents = amount_cents')
  await start()
  await eventually(async () => expect(await stats()).toMatchObject({ current_tier: 'free', remaining_credits: 60 }))
})
