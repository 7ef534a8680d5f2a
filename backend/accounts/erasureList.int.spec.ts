import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import type { TextFiles } from '../kernel/textFiles.port.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { createErasureList, ERASURE_FILE } from './erasureList.ts'

const [early, late, older] = [1, 2, 3].map((n) => derivedId('user', n)) as [string, string, string]
const stored = new Map<string, string>()
const files: TextFiles = {
  read: async (name) => stored.get(name),
  write: async (name, content) => void stored.set(name, content),
}
const listed = () => stored.get(ERASURE_FILE)?.trim().split('\n')
const requested: string[] = []
let db: TemporaryDatabase
const open = () => {
  const request = async (userId: string) => void requested.push(userId)
  return createErasureList({ database: db.database, store: db.store, openFiles: () => files, request })
}
const logged = async () =>
  (await Array.fromAsync(db.store.readStream('erasedAccounts'))).map(({ data }) => (data as { userId: string }).userId)

beforeAll(async () => {
  db = await startTemporaryDatabase()
  await db.pool.query(
    `insert into erasure values ('${early}', '2026-01-01', '2026-01-02'), ('${late}', '2026-01-03', null)`,
  )
})
afterAll(() => db.close())

// Each test goes on with the list that the one before has left.
describe('the list of erased accounts', { shuffle: false }, () => {
  it('adds the erasures that only the database has, to the log and to the file, once', async () => {
    for (const list of [open(), open()]) await list.reconcile()
    expect(await logged()).toEqual([early, late])
    expect(listed()).toEqual([early, late])
  })

  it('is written again to a new place', async () => {
    stored.clear()
    await open().reconcile()
    expect(listed()).toEqual([early, late])
  })

  it('loses no account when several processes add one at the same time', async () => {
    stored.clear()
    await Promise.all([early, late].map((userId) => open().record(userId)))
    expect(new Set(listed())).toEqual(new Set([early, late]))
    expect(await logged()).toEqual([early, late])
  })

  it('erases an account again that only the log lists, as after a restore of an older database', async () => {
    await db.pool.query(`insert into erasure values ('${older}', '2026-01-04', now())`)
    await open().record(older)
    await db.pool.query(`delete from erasure where user_id = '${older}'`)
    await open().reconcile()
    expect(requested).toEqual([older])
  })

  it('does not replace a damaged file', async () => {
    stored.set(ERASURE_FILE, 'not a list')
    await expect(open().reconcile()).rejects.toThrow('"not a list" is not the id of an account')
    expect(stored.get(ERASURE_FILE)).toBe('not a list')
  })
})
