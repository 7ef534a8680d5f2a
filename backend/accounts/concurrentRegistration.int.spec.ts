import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../kernel/postgres/orm.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { testMails } from '../testing/testMails.ts'
import { createAccountPasswords } from './accountPasswords.ts'
import { createAccounts } from './accounts.ts'
import { createBackground } from './background.ts'
import { createFreeGrants } from './freeGrants.ts'
import { createMailedLinks } from './mails/mailedLinks.ts'

let db: TemporaryDatabase
let concurrent: (() => Promise<unknown>) | undefined
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())

/** Returns a database that runs `concurrent` after it has read an account. */
const racing = (): Database => {
  const fork = () => {
    const em = db.database.em.fork()
    const findOne = em.findOne.bind(em)
    em.findOne = (async (...call: Parameters<typeof findOne>) => {
      const found = await findOne(...call)
      await concurrent?.()
      return found
    }) as typeof em.findOne
    return em
  }
  return Object.create(db.database, { em: { value: { fork } } })
}

describe('registering an address while its owner verifies it', () => {
  it("keeps the owner's password", async () => {
    const { outbox, waiting } = testMails(db)
    const background = createBackground(() => {})
    const publicUrl = () => 'http://localhost'
    const links = createMailedLinks(racing(), outbox, publicUrl, Date.now)
    const grants = createFreeGrants(db.database, 'ab'.repeat(32), async () => {})
    const ports = { database: racing(), links, outbox, background, publicUrl, grants }
    const accounts = createAccounts({ ...ports, production: false })
    const mails = async () => (await waiting()).map(({ text }) => text)
    const registration = { email: 'owner@kinora.test', username: 'Owner', language: 'en' } as const
    await accounts.register({ ...registration, password: 'the owner knows' })
    const [text] = await mails()
    concurrent = () => {
      concurrent = undefined
      return accounts.verifyEmail(/token=([\w-]+)/.exec(text!)![1]!)
    }
    const again = accounts.register({ ...registration, password: 'a stranger knows' })
    await expect(again).rejects.toMatchObject({ code: 'email_already_registered' })
    const passwords = createAccountPasswords(ports)
    const credentials = await passwords.credentials('owner@kinora.test')
    expect((await passwords.authenticate(credentials, 'the owner knows')).email).toBe('owner@kinora.test')
    expect(await mails()).toHaveLength(1)
  })
})
