import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { createUserKeys } from './userKeys.ts'

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())

const master = 'ab'.repeat(32)
const keys = () => createUserKeys(db.database, master)
const textOf = (userId: string) => ({ purpose: 'prompt', userId, row: 'task' })
const text = 'A cat 猫 😀'

describe("a user's key", () => {
  it('decrypts its texts, also in another process', async () => {
    const [user, first] = [crypto.randomUUID(), keys()]
    const sealed = await first.encrypt(textOf(user), text)
    expect([await first.decrypt(textOf(user), sealed), await keys().decrypt(textOf(user), sealed)]).toEqual([
      text,
      text,
    ])
  })
  it('encrypts the same text differently each time', async () => {
    const [user, each] = [crypto.randomUUID(), keys()]
    const [one, two] = [await each.encrypt(textOf(user), text), await each.encrypt(textOf(user), text)]
    expect(one).not.toBe(two)
    expect(Buffer.from(one, 'base64').includes(Buffer.from('cat'))).toBe(false)
  })
  it('is created once by concurrent processes', async () => {
    const user = crypto.randomUUID()
    const processes = [keys(), keys()]
    const sealed = await Promise.all(
      Array.from({ length: 20 }, (_, n) => processes[n % 2]!.encrypt(textOf(user), `${n}`)),
    )
    const opened = await Promise.all(sealed.map((each) => keys().decrypt(textOf(user), each)))
    expect(opened).toEqual(Array.from({ length: 20 }, (_, n) => `${n}`))
  })
  it('leaves its texts unreadable when it is deleted', async () => {
    const user = crypto.randomUUID()
    const sealed = await keys().encrypt(textOf(user), text)
    await db.pool.query('delete from user_key where user_id = $1', [user])
    expect(await keys().decrypt(textOf(user), sealed)).toBeUndefined()
  })
  it("does not decrypt another user's text or a modified one", async () => {
    const [user, other, each] = [crypto.randomUUID(), crypto.randomUUID(), keys()]
    const sealed = await each.encrypt(textOf(user), text)
    await each.encrypt(textOf(other), text)
    await expect(each.decrypt(textOf(other), sealed)).rejects.toThrow()
    const bytes = Buffer.from(sealed, 'base64')
    bytes[bytes.length - 1]! ^= 1
    await expect(each.decrypt(textOf(user), bytes.toString('base64'))).rejects.toThrow()
  })
  it('cannot be unwrapped with another master key', async () => {
    const user = crypto.randomUUID()
    const sealed = await keys().encrypt(textOf(user), text)
    const other = createUserKeys(db.database, 'cd'.repeat(32))
    await expect(other.decrypt(textOf(user), sealed)).rejects.toThrow()
    expect(await other.tryDecrypt(textOf(user), sealed)).toBeUndefined()
  })
})
