import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { inTransaction } from './inTransaction.ts'
import { transaction } from './transaction.ts'

let db: TemporaryDatabase
const INSERT = 'insert into sample (id) values ($1)'
const ids = async () => (await db.pool.query('select id from sample order by id')).rows.map(({ id }) => id)

beforeAll(async () => {
  db = await startTemporaryDatabase()
  await db.pool.query('create table sample (id int primary key)')
})
beforeEach(() => db.pool.query('truncate sample'))
afterAll(() => db.close())

it('runs statements in their order, also those that it does not wait for', async () => {
  const seen = await transaction(db.database, async (tx) => {
    tx.send(INSERT, [1])
    const found = tx.query<{ id: number }>('select id from sample')
    tx.send(INSERT, [2])
    return found
  })
  expect(seen).toEqual([{ id: 1 }])
  expect(await ids()).toEqual([1, 2])
})

it('stores nothing and throws the error of the statement if one that was sent fails', async () => {
  const fails = transaction(db.database, async (tx) => {
    for (const id of [1, 1, 2]) tx.send(INSERT, [id])
  })
  await expect(fails).rejects.toMatchObject({ code: '23505' })
  expect(await ids()).toEqual([])
})

it('throws the error of the statement that failed, not that of one after it which is seen first', async () => {
  const deep = async (run: () => Promise<unknown>, depth: number): Promise<unknown> =>
    depth === 0 ? run() : await deep(run, depth - 1)
  const fails = transaction(db.database, (tx) => {
    const both = Promise.all([deep(() => tx.query('select 1 / 0'), 5), tx.query('select 1')])
    // Both answers arrive while the process is busy.
    setImmediate(() => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50))
    return both
  })
  await expect(fails).rejects.toMatchObject({ code: '22012' })
})

it('stores nothing if its work throws, and leaves a connection that works', async () => {
  for (let n = 0; n < 20; n++) {
    const fails = transaction(db.database, async (tx) => {
      tx.send(INSERT, [1])
      tx.send('not a statement')
      throw new Error('no')
    })
    await expect(fails).rejects.toThrow('no')
  }
  await transaction(db.database, async (tx) => tx.send(INSERT, [3]))
  expect(await ids()).toEqual([3])
})

it('stores all or nothing on a connection of a pool, and keeps no connection that was lost', async () => {
  const fail = (statement: string) =>
    inTransaction(db.pool, async (client) => {
      await client.query(INSERT, [1])
      await client.query(statement)
    })
  const most = db.pool.options.max
  for (let n = 0; n <= most; n++) await expect(fail('select 1 / 0')).rejects.toMatchObject({ code: '22012' })
  for (let n = 0; n <= most; n++)
    await expect(fail('select pg_terminate_backend(pg_backend_pid())')).rejects.toMatchObject({ code: '57P01' })
  await inTransaction(db.pool, (client) => client.query(INSERT, [2]))
  expect(await ids()).toEqual([2])
})
