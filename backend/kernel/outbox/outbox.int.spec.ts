import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { uuid7 } from '../eventsourcing/uuid7.ts'
import { createOutbox, type Outbox } from './outbox.ts'

const SENDER = 1
const AFTER_THE_CLAIM_MS = 120_001

let db: TemporaryDatabase
let clock = Date.UTC(2026, 0, 1)
let outbox: Outbox
beforeAll(async () => {
  db = await startTemporaryDatabase()
  outbox = createOutbox(db.pool, () => clock)
})
afterAll(() => db?.close())

const claim = async () => (await outbox.claim(SENDER, ['mail'], [])).map(({ attempts }) => attempts)

it('sends no second mail when one is sent again during its attempt', async () => {
  const [id, userId, target] = [uuid7(), uuid7(), 'mail server']
  await db.pool.query(
    `insert into user_account (id, email, identity, full_name, language, password_hash, created_at) values ($1, 'a@kinora.test', 'a@kinora.test', 'A', 'en', '', now())`,
    [userId],
  )
  await outbox.put(db.pool, [{ id, userId, channel: 'mail', target, about: 'Welcome', body: '{}' }])
  const [message] = await outbox.claim(SENDER, ['mail'], [])
  expect(await outbox.resendAny(id)).toMatchObject({ about: 'Welcome' })
  expect(await outbox.resend(target, { id })).toBe(1)
  expect(await claim()).toEqual([])

  await outbox.record(message!, { outcome: 'failed' }, 5, 60_000)
  await outbox.resendAny(id)
  expect(await claim()).toEqual([1])
  // The process ended without recording the attempt.
  clock += AFTER_THE_CLAIM_MS
  await outbox.resendAny(id)
  expect(await claim()).toEqual([1])
})
