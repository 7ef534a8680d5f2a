import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../database/orm.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { createAccounts } from './accounts.ts'

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
    const mails: string[] = []
    const accounts = createAccounts({
      endSessions: async () => {},
      database: racing(),
      mailer: { send: async ({ text }) => void mails.push(/token=([\w-]+)/.exec(text)![1]!) },
      publicUrl: () => 'http://localhost',
      welcome: async () => {},
    })
    const registration = { email: 'owner@kinora.test', username: 'Owner', language: 'en' } as const
    await accounts.register({ ...registration, password: 'the owner knows' })
    meanwhile = () => {
      meanwhile = undefined
      return accounts.verifyEmail(mails[0]!)
    }
    const again = accounts.register({ ...registration, password: 'a stranger knows' })
    await expect(again).rejects.toMatchObject({ code: 'email_already_registered' })
    expect((await accounts.authenticate('owner@kinora.test', 'the owner knows')).email).toBe('owner@kinora.test')
    expect(mails).toHaveLength(1)
  })
})
