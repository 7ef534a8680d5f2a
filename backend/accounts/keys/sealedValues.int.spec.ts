import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { testMails } from '../../testing/testMails.ts'
import { createFreeGrants } from '../freeGrants.ts'
import { rotateKeys } from './keyRing.ts'
import { refuseWrongMasterKey } from './masterKey.ts'
import { keyFor, seal, unseal, wrappingKey } from './seal.ts'
import { createUserKeys } from './userKeys.ts'
import { createYearKeys } from './yearKeys.ts'

const [masterKey, next] = ['ab'.repeat(32), 'ef'.repeat(32)]
const [userId, taskId] = [crypto.randomUUID(), crypto.randomUUID()]
const about = { purpose: 'prompt', userId, row: taskId }

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())
afterEach(() =>
  db.pool.query('truncate master_key, user_key, year_key, key_ring, outbox, free_grant, user_account cascade'),
)

async function rotate(from: string, to: string): Promise<void> {
  const client = await db.pool.connect()
  await client.query('begin')
  await rotateKeys(client, from, to)
  await client.query('commit')
  client.release()
}

it('values open after each rotation of the master key, and with no other key', async () => {
  await refuseWrongMasterKey(db.pool, masterKey)
  await db.pool.query(
    `insert into user_account (id, email, identity, full_name, language, password_hash, created_at) values ($1, 'a', 'a', 'a', 'en', 'a', now())`,
    [userId],
  )
  const prompt = await createUserKeys(db.database, masterKey).encrypt(about, 'A cat')
  const mail = { to: 'a@kinora.test', subject: 'Hello', text: '', html: '' }
  await testMails(db, masterKey).outbox.put(db.database.em.fork(), userId, mail, 60_000)
  const grant = (key: string, id: string) =>
    createFreeGrants(db.database, key, async () => {}).grantOnce({ id, identity: 'ada@kinora.test' })
  expect(await grant(masterKey, userId)).toBe(true)
  const invoice = await createYearKeys(db.database, masterKey).encrypt(2026, about, 'Ada')

  for (const [from, to] of [
    [masterKey, next],
    [next, masterKey],
  ] as const) {
    await rotate(from, to)
    await refuseWrongMasterKey(db.pool, to)
    await expect(refuseWrongMasterKey(db.pool, from)).rejects.toThrow('ENCRYPTION_KEY is not the key')
    expect(await createUserKeys(db.database, to).decrypt(about, prompt)).toBe('A cat')
    expect((await testMails(db, to).waiting()).map(({ subject }) => subject)).toEqual(['Hello'])
    expect(await grant(to, crypto.randomUUID())).toBe(false)
    expect(await createYearKeys(db.database, to).decrypt(2026, about, invoice)).toBe('Ada')
  }
})

describe('a sealed value', () => {
  const key = wrappingKey(masterKey)
  const sealed = seal(key, Buffer.from('text'), about)

  it('opens only for its purpose, its user and its row', () => {
    expect(unseal(key, sealed, about).toString()).toBe('text')
    for (const elsewhere of [{ purpose: 'mail' }, { userId: taskId }, { row: userId }])
      expect(() => unseal(key, sealed, { ...about, ...elsewhere })).toThrow()
  })

  it('does not open without its version', () => {
    expect(() => unseal(key, sealed.slice(3), about)).toThrow()
  })

  it('does not open with a tag that was cut short', () => {
    const bytes = Buffer.from(sealed.slice(3), 'base64').subarray(0, 20).toString('base64')
    expect(() => unseal(key, `v2.${bytes}`, about)).toThrow()
  })
})

describe('the keys derived from a master key', () => {
  it('differ by purpose, and from the master key', () => {
    const derived = [wrappingKey(masterKey), keyFor('a', masterKey), keyFor('b', masterKey)]
    const keys = [masterKey, ...derived.map((key) => key.toString('hex'))]
    expect(new Set(keys).size).toBe(4)
  })
})

describe("a user's text", () => {
  it('does not open for another task of the same user', async () => {
    const keys = createUserKeys(db.database, masterKey)
    const sealed = await keys.encrypt(about, 'A cat')
    expect(await keys.decrypt(about, sealed)).toBe('A cat')
    await expect(keys.decrypt({ ...about, row: userId }, sealed)).rejects.toThrow()
  })

  it("does not open after another user's key was put in its place", async () => {
    const [keys, other] = [createUserKeys(db.database, masterKey), { ...about, userId: taskId }]
    const sealed = await keys.encrypt(about, 'A cat')
    await keys.encrypt(other, 'A dog')
    await db.pool.query('update user_key set wrapped_key = (select wrapped_key from user_key where user_id = $1)', [
      taskId,
    ])
    await expect(createUserKeys(db.database, masterKey).decrypt(about, sealed)).rejects.toThrow()
  })
})
