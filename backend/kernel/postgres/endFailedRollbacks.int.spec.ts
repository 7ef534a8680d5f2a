import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { query } from './query.ts'

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())

describe('a connection that is lost during a transaction', () => {
  it('is returned to the pool of the ORM, which has twelve', async () => {
    const lose = () =>
      db.database.em.fork().transactional((em) => query(em, 'select pg_terminate_backend(pg_backend_pid())'))
    for (let n = 0; n < 13; n++) await expect(lose()).rejects.toThrow('terminat')
    expect(await query(db.database, 'select 1 as one')).toEqual([{ one: 1 }])
  })
})
