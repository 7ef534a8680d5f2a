import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { rotateKeys } from './keyRing.ts'
import { refuseWrongMasterKey } from './masterKey.ts'
import { createUserKeys } from './userKeys.ts'

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())
afterEach(() => db.pool.query('truncate master_key, user_key, key_ring'))

const [first, second] = ['ab'.repeat(32), 'cd'.repeat(32)]
const start = (masterKey: string) => refuseWrongMasterKey(db.pool, masterKey)
const REFUSED = 'ENCRYPTION_KEY is not the key of this database'

describe('the master key of a database', () => {
  it('is the key of the first start, and no other', async () => {
    await start(first)
    await start(first)
    await expect(start(second)).rejects.toThrow(REFUSED)
  })

  it("is, in a database from before fingerprints, the first key that opens users' keys", async () => {
    await createUserKeys(db.database, first).encrypt(
      { purpose: 'prompt', userId: crypto.randomUUID(), row: 'task' },
      'a cat',
    )
    await expect(start(second)).rejects.toThrow(REFUSED)
    await start(first)
    await expect(start(second)).rejects.toThrow(REFUSED)
  })

  it('is one, although two processes start together with different keys', async () => {
    const outcomes = await Promise.allSettled([start(first), start(second)])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  it('is replaced by a rotation', async () => {
    await start(first)
    const client = await db.pool.connect()
    await client.query('begin')
    await rotateKeys(client, first, second)
    await client.query('commit')
    client.release()
    await start(second)
    await expect(start(first)).rejects.toThrow(REFUSED)
  })
})
