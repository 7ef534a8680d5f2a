import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../kernel/postgres/orm.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { createAccountPasswords } from './accountPasswords.ts'
import { createAccounts } from './accounts.ts'
import { createBackground } from './background.ts'
import { createFreeGrants } from './freeGrants.ts'
import { createMailTokens } from './mails/mailTokens.ts'
import { createOutbox } from './mails/outbox.ts'

let db: TemporaryDatabase
let meanwhile: (() => Promise<unknown>) | undefined
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())

/** The database, where something happens between the look at an account and what follows from it. */
const racing = () =>
  ({
    em: {
      fork: () => {
        const em = db.database.em.fork()
        const look = em.findOne.bind(em)
        em.findOne = (async (...call: Parameters<typeof look>) => {
          const found = await look(...call)
          await meanwhile?.()
          return found
        }) as typeof em.findOne
        return em
      },
    },
  }) as unknown as Database

describe('registering an address while its owner verifies it', () => {
  it("does not replace the owner's password", async () => {
    const tokens = createMailTokens(racing(), Date.now)
    const outbox = createOutbox(db.database, randomBytes(32))
    const background = createBackground(() => {})
    const ports = { database: racing(), tokens, outbox, background, publicUrl: () => 'http://localhost' }
    const grants = createFreeGrants(db.database, 'ab'.repeat(32))
    const accounts = createAccounts({ ...ports, grants, production: false, grantFreeCredits: async () => {} })
    const mails = async () => Promise.all((await outbox.waiting()).map(async (id) => (await outbox.open(id))!.text))
    const registration = { email: 'owner@kinora.test', username: 'Owner', language: 'en' } as const
    await accounts.register({ ...registration, password: 'the owner knows' })
    const [text] = await mails()
    meanwhile = () => {
      meanwhile = undefined
      return accounts.verifyEmail(/token=([\w-]+)/.exec(text!)![1]!)
    }
    const again = accounts.register({ ...registration, password: 'a stranger knows' })
    await expect(again).rejects.toMatchObject({ code: 'email_already_registered' })
    expect((await createAccountPasswords(ports).authenticate('owner@kinora.test', 'the owner knows')).email).toBe(
      'owner@kinora.test',
    )
    expect(await mails()).toHaveLength(1)
  })
})
