import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { testMails } from '../../testing/testMails.ts'
import { createMailedLinks } from './mailedLinks.ts'

let db: TemporaryDatabase
const registration = { email: 'a@kinora.test', fullName: 'A', language: 'en', passwordHash: '' } as const
const user = { ...registration, id: crypto.randomUUID() }
beforeAll(async () => {
  db = await startTemporaryDatabase()
  await db.pool.query(
    `insert into user_account (id, email, identity, full_name, language, password_hash, created_at) values ($1, 'a@kinora.test', 'a@kinora.test', 'A', 'en', '', now())`,
    [user.id],
  )
})
afterAll(() => db.close())

describe('a mailed link', () => {
  it('that resets a password leaves the others valid, also when several are sent concurrently', async () => {
    const { outbox, waiting } = testMails(db)
    const links = createMailedLinks(db.database, outbox, () => 'http://localhost', Date.now)
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        Array.from({ length: 8 }, () => db.database.em.fork().transactional((tx) => links.send(tx, 'reset', user))),
      )
      const mails = (await waiting()).slice(-8)
      const tokens = mails.map((mail) => /token=([\w-]+)/.exec(mail.text)![1]!)
      expect(new Set(tokens).size).toBe(8)
      const owners = await Promise.all(tokens.map(async (token) => (await links.find(token, 'reset'))?.userId))
      expect(new Set(owners)).toEqual(new Set([user.id]))
    }
  })
})
