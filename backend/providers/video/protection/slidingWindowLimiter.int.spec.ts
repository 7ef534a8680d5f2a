import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { createSlidingWindowLimiter } from './slidingWindowLimiter.ts'

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())

describe('a rate limiter', () => {
  it('counts calls in slices, however many they are', async () => {
    const limiter = createSlidingWindowLimiter(db.pool, 'many', 10_000, 20_000)
    for (let n = 0; n < 400; n++) expect(await limiter.acquire()).toBe(0)
    const { rows } = await db.pool.query(
      `select cardinality(ends) as slices, (select sum(n)::int from unnest(counts) n) as calls from call_window
       where name = 'many'`,
    )
    expect(rows[0].slices).toBeLessThanOrEqual(101)
    expect(rows[0].calls).toBeGreaterThan(100)
  })

  it('forgets calls from the future, after the database clock was set back', async () => {
    const limiter = createSlidingWindowLimiter(db.pool, 'set back', 1, 60_000)
    expect(await limiter.acquire()).toBe(0)
    await db.pool.query(`update call_window set ends = array[now() + interval '1 hour'] where name = 'set back'`)
    expect(await limiter.acquire()).toBe(0)
    expect(await limiter.acquire()).toBeGreaterThan(0)
  })

  it('allows a call again as the window slides', async () => {
    const limiter = createSlidingWindowLimiter(db.pool, 'sliding', 2, 60_000)
    expect([await limiter.acquire(), await limiter.acquire()]).toEqual([0, 0])
    const wait = await limiter.acquire()
    expect(wait).toBeGreaterThan(0)
    const later = `update call_window set ends = array(select at - $1 * interval '1 ms' from unnest(ends) at)`
    await db.pool.query(later, [wait])
    expect(await limiter.acquire()).toBe(0)
  })
})
