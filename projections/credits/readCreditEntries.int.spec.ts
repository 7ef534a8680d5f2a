import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { derivedId } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { readCreditEntries } from './readCreditEntries.ts'

const [user, other, nobody] = ['user', 'other', 'nobody'].map((name) => derivedId(name)) as [string, string, string]
const AMOUNTS = [60, -30, -25, 30, -5, 100, -90]

describe('a page of credit entries', () => {
  let db: TemporaryDatabase
  beforeAll(async () => {
    db = await startTemporaryDatabase()
    for (const owner of [user, other])
      for (const [revision, amount] of AMOUNTS.entries())
        await db.pool.query(`insert into credit_entry values ($1, $2, $3, 'grant', $4, 'gift', null, null, now())`, [
          ...[derivedId(owner, revision), owner, revision, owner === user ? amount : 1],
        ])
  })
  afterAll(() => db.close())

  const read = async (userId: string, page: number, perPage: number) => {
    const { entries, total } = await readCreditEntries(db.database, userId, { page, perPage })
    return { total, shown: entries.map(({ revision, amount, balance_after }) => [revision, amount, balance_after]) }
  }

  it.each([[1], [2], [3], [10]])(
    'shows the running sum of amounts after each entry, newest first: %d on a page',
    async (perPage) => {
      const balances = AMOUNTS.map((_, n) => AMOUNTS.slice(0, n + 1).reduce((sum, amount) => sum + amount))
      const expected = AMOUNTS.map((amount, n) => [n, amount, balances[n]]).reverse()
      const shown: unknown[] = []
      for (let page = 1; page <= Math.ceil(AMOUNTS.length / perPage); page++) {
        const found = await read(user, page, perPage)
        expect(found.total).toBe(AMOUNTS.length)
        shown.push(...found.shown)
      }
      expect(shown).toEqual(expected)
    },
  )

  it.each([
    ['takes the count and sum beside a balance that includes the latest entry', 6, { total: 70, balance: 999 }],
    ['adds up all entries if the balance is behind', 5, { total: AMOUNTS.length, balance: 40 }],
    ['adds up all entries if the balance is ahead', 7, { total: AMOUNTS.length, balance: 40 }],
  ])('%s', async (_, lastEntry, expected) => {
    await db.pool.query(`insert into credit_balance values ($1, '[]', '{}', 0, 70, 999, $2)`, [user, lastEntry])
    const { total, shown } = await read(user, 1, 1)
    await db.pool.query('delete from credit_balance')
    expect({ total, balance: shown[0]![2] }).toEqual(expected)
  })

  it('is empty after the last entry and for a user without entries, but counts all', async () => {
    expect(await read(user, 3, 5)).toEqual({ total: AMOUNTS.length, shown: [] })
    expect(await read(nobody, 1, 5)).toEqual({ total: 0, shown: [] })
  })

  it.each([[200_000_000], [Number.MAX_SAFE_INTEGER]])('is empty if its number is %d', async (page) => {
    expect(await read(user, page, 100)).toEqual({ total: AMOUNTS.length, shown: [] })
  })
})
