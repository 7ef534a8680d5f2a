import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
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

  /** Counts the statements of a limiter. */
  const counted = (...[name, limit, windowMs]: [string, number, number]) => {
    const query = vi.spyOn(db.pool, 'query')
    onTestFinished(() => query.mockRestore())
    return { limiter: createSlidingWindowLimiter(db.pool, name, limit, windowMs), query }
  }
  const callsOf = async (name: string): Promise<number> => {
    const { rows } = await db.pool.query(
      'select (select sum(n)::int from unnest(counts) n) as calls from call_window where name = $1',
      [name],
    )
    return rows[0].calls
  }

  it('reserves the calls of a slice with few statements', async () => {
    const { limiter, query } = counted('reserved', 10_000, 6_000_000)
    for (let n = 0; n < 100; n++) expect(await limiter.acquire()).toBe(0)
    expect(query.mock.calls.length).toBeLessThan(10)
    expect(await callsOf('reserved')).toBeLessThan(200)
  })

  it.each([5, 7])('reserves no calls for later slices, and only as many as the last one took: %d', async (made) => {
    const name = `slice after ${made}`
    const { limiter, query } = counted(name, 1_000, 100_000)
    for (let n = 0; n < made; n++) await limiter.acquire()
    const before = query.mock.calls.length
    const countedBefore = await callsOf(name)
    const clock = vi.spyOn(performance, 'now').mockReturnValue(Number.MAX_SAFE_INTEGER)
    onTestFinished(() => clock.mockRestore())
    expect(await limiter.acquire()).toBe(0)
    expect(query.mock.calls.length).toBe(before + 2)
    expect((await callsOf(name)) - countedBefore).toBeLessThanOrEqual(4)
  })

  it('allows the last calls of a window that has no room for a reservation', async () => {
    const limiter = createSlidingWindowLimiter(db.pool, 'last', 1_000, 600_000_000)
    let allowed = 0
    while ((await limiter.acquire()) === 0) allowed++
    expect([allowed, await callsOf('last')]).toEqual([1_000, 1_000])
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
