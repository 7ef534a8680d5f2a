import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ENTITIES, MIGRATIONS } from '#backend/app/schema.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { openPool } from './openPool.ts'
import { openDatabase } from './orm.ts'
import { query } from './query.ts'

describe('a database whose default isolation is repeatable read', () => {
  let temporary: TemporaryDatabase
  beforeAll(async () => {
    temporary = await startTemporaryDatabase()
    const name = temporary.connection.database
    await temporary.pool.query(`alter database "${name}" set default_transaction_isolation = 'repeatable read'`)
  })
  afterAll(() => temporary.close())

  it('does not change the isolation of pool connections', async () => {
    const pool = openPool(temporary.connection)
    const { rows } = await pool.query('show transaction_isolation')
    await pool.end()
    expect(rows).toEqual([{ transaction_isolation: 'read committed' }])
  })

  it('does not change the isolation of ORM transactions', async () => {
    const database = await openDatabase(temporary.connection, ENTITIES, MIGRATIONS)
    const rows = await database.em.fork().transactional((em) => query(em, 'show transaction_isolation'))
    await database.close()
    expect(rows).toEqual([{ transaction_isolation: 'read committed' }])
  })
})
