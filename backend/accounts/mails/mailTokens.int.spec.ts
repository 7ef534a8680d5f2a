import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { createMailTokens } from './mailTokens.ts'

let db: TemporaryDatabase
const user = crypto.randomUUID()
beforeAll(async () => {
  db = await startTemporaryDatabase()
  await db.pool.query(
    `insert into user_account (id, email, identity, full_name, language, password_hash, created_at) values ($1, 'a@kinora.test', 'a@kinora.test', 'A', 'en', '', now())`,
    [user],
  )
})
afterAll(() => db.close())

describe('a mailed token', () => {
  it('invalidates all others, also when several are issued concurrently', async () => {
    const tokens = createMailTokens(db.database, () => Date.now())
    for (let round = 0; round < 5; round++) {
      const issued = await Promise.all(
        Array.from({ length: 8 }, () =>
          db.database.em.fork().transactional((tx) => tokens.issue(tx, user, 'verify', 60_000)),
        ),
      )
      const owners = await Promise.all(issued.map((token) => tokens.owner(token, 'verify')))
      expect(owners.filter((owner) => owner !== undefined)).toEqual([user])
    }
  })
})
