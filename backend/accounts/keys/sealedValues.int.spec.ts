import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { createFreeGrants } from '../freeGrants.ts'
import { createOutbox } from '../mails/outbox.ts'
import { mailKey, rotateKeys } from './keyRing.ts'
import { refuseWrongMasterKey } from './masterKey.ts'
import { keyFor, seal, unseal, wrappingKey } from './seal.ts'
import former from './testing/sealedByFirstRelease.json' with { type: 'json' }
import { createUserKeys } from './userKeys.ts'

const { masterKey, userId, taskId, mailId } = former
const about = { purpose: 'prompt', userId, row: taskId }
const next = 'ef'.repeat(32)

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())
afterEach(() =>
  db.pool.query('truncate master_key, user_key, key_ring, outgoing_mail, free_grant, user_account cascade'),
)

/** Stores what the first release had sealed. */
async function storeFormerValues() {
  await db.pool.query('insert into user_key values ($1, $2)', [userId, former.wrappedKey])
  await db.pool.query('insert into master_key (fingerprint) values ($1)', [former.fingerprint])
  await db.pool.query(`insert into key_ring values ('free grants', $1, now())`, [former.formerKey])
  for (const hash of [former.addressHash, former.formerAddressHash])
    await db.pool.query('insert into free_grant (address_hash, user_id) values ($1, $2)', [hash, userId])
  await db.pool.query(
    `insert into user_account (id, email, identity, full_name, language, password_hash, created_at) values ($1, 'a', 'a', 'a', 'en', 'a', now())`,
    [userId],
  )
  await db.pool.query(
    `insert into outgoing_mail (id, user_id, sealed, expires_at) values ($1, $2, $3, now() + interval '1 day')`,
    [mailId, userId, former.mail],
  )
}

/** Returns what the stored values open to, and whether a mailbox that had free credits gets them again. */
async function openAll(key: string) {
  await refuseWrongMasterKey(db.pool, key)
  const grants = createFreeGrants(db.database, key, async () => {})
  const again = (identity: string) => grants.grantOnce({ id: crypto.randomUUID(), identity })
  return {
    prompt: await createUserKeys(db.database, key).decrypt(about, former.encryptedPrompt),
    mail: (await createOutbox(db.database, mailKey(key)).open(mailId))?.subject,
    grantedAgain: [await again('ada@kinora.test'), await again('grace@kinora.test')],
  }
}
const OPENED = { prompt: former.prompt, mail: 'Hello', grantedAgain: [false, false] }

async function rotate(from: string, to: string): Promise<void> {
  const client = await db.pool.connect()
  await client.query('begin')
  await rotateKeys(client, from, to)
  await client.query('commit')
  client.release()
}

describe('values that the first release sealed', () => {
  it('open, and open after a rotation of the master key', async () => {
    await storeFormerValues()
    expect(await openAll(masterKey)).toEqual(OPENED)
    await rotate(masterKey, next)
    expect(await openAll(next)).toEqual(OPENED)
    await expect(openAll(masterKey)).rejects.toThrow('ENCRYPTION_KEY is not the key')
    await rotate(next, masterKey)
    expect(await openAll(masterKey)).toEqual(OPENED)
  })

  it('are sealed with their place by a rotation', async () => {
    await storeFormerValues()
    await rotate(masterKey, next)
    const { rows } = await db.pool.query(
      'select wrapped_key as sealed from user_key union all select sealed from outgoing_mail union all select sealed from key_ring',
    )
    expect(rows).toHaveLength(5)
    for (const { sealed } of rows) expect(sealed).toMatch(/^v2\./)
  })
})

describe('a sealed value', () => {
  const key = wrappingKey(masterKey)
  const sealed = seal(key, Buffer.from('text'), about)

  it('opens only for its purpose, its user and its row', () => {
    expect(unseal(key, sealed, about).toString()).toBe('text')
    for (const elsewhere of [{ purpose: 'mail' }, { userId: taskId }, { row: userId }])
      expect(() => unseal(key, sealed, { ...about, ...elsewhere })).toThrow()
  })

  it('does not open as a value of the first release', () => {
    expect(() => unseal(key, sealed.slice(3), about)).toThrow()
    expect(() => unseal({ key: key.key, former: key.key }, sealed.slice(3), about)).toThrow()
  })

  it('does not open with a tag that was cut short', () => {
    const bytes = Buffer.from(former.encryptedPrompt, 'base64').subarray(0, 20).toString('base64')
    expect(() => unseal(key, bytes, about)).toThrow()
  })
})

describe('the keys derived from a master key', () => {
  it('differ by purpose, and from the master key', () => {
    const keys = [
      masterKey,
      ...[wrappingKey(masterKey).key, keyFor('a', masterKey), keyFor('b', masterKey)].map(String),
    ]
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
