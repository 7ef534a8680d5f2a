import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { mailKey } from '../keys/keyRing.ts'
import { createMailedLinks } from './mailedLinks.ts'
import { createOutbox } from './outbox.ts'

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
    const outbox = createOutbox(db.database, mailKey('ab'.repeat(32)))
    const links = createMailedLinks(db.database, outbox, () => 'http://localhost', Date.now)
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        Array.from({ length: 8 }, () => db.database.em.fork().transactional((tx) => links.send(tx, 'reset', user))),
      )
      const mails = await Promise.all((await outbox.waiting()).slice(-8).map((id) => outbox.open(id)))
      const tokens = mails.map((mail) => /token=([\w-]+)/.exec(mail!.text)![1]!)
      expect(new Set(tokens).size).toBe(8)
      const owners = await Promise.all(tokens.map(async (token) => (await links.find(token, 'reset'))?.userId))
      expect(new Set(owners)).toEqual(new Set([user.id]))
    }
  })
})
