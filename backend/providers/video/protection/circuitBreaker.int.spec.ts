import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { seeded } from '#backend/testing/seeded.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { BREAKER_DEFAULTS, type CircuitBreaker, createCircuitBreaker } from './circuitBreaker.ts'

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())
beforeEach(() => db.pool.query('truncate circuit'))

const openBreaker = (options: Partial<typeof BREAKER_DEFAULTS> = {}) =>
  createCircuitBreaker(db.pool, 'provider', { ...BREAKER_DEFAULTS, ...options })

/** Records failures. Returns how many of them it takes to open the breaker, at most `calls`. */
async function failuresUntilOpen(breaker: CircuitBreaker, calls: number) {
  for (let n = 1; n <= calls; n++) if (await breaker.recordFailure()) return n
  return undefined
}

describe('the circuit breaker', () => {
  it.each([1, 2, 3])('stays closed while three calls of ten fail (seed %i)', async (seed) => {
    const next = seeded(seed)
    const breaker = openBreaker()
    for (let call = 0; call < 400; call++) {
      await (next() < 0.3 ? breaker.recordFailure() : breaker.recordSuccess())
      expect(await breaker.check(), `call ${call}`).toBe('closed')
    }
  })

  it('opens after eight failures in a row', async () => {
    const breaker = openBreaker()
    expect(await failuresUntilOpen(breaker, 7)).toBeUndefined()
    await breaker.recordSuccess()
    expect(await failuresUntilOpen(breaker, 20)).toBe(8)
    expect(await breaker.check()).toBeGreaterThan(4_000)
  })

  it('opens after three calls without an answer, and for the initial time', async () => {
    const breaker = openBreaker()
    expect([await breaker.recordFailure(3), await breaker.recordFailure(3), await breaker.recordFailure(3)]).toEqual([
      false,
      false,
      true,
    ])
    expect(await breaker.check()).toBeLessThanOrEqual(5_000)
  })

  it('opens after three failures that took long, and not for an earlier failure', async () => {
    const breaker = openBreaker()
    const pass31Seconds = () => db.pool.query(`update circuit set failing_since = failing_since - interval '31 s'`)
    await breaker.recordFailure()
    await breaker.recordSuccess()
    await pass31Seconds()
    expect(await failuresUntilOpen(breaker, 2)).toBeUndefined()
    await pass31Seconds()
    expect(await breaker.recordFailure()).toBe(true)
    expect(await breaker.check()).toBeGreaterThan(4_000)
  })

  it('sends no statement for a success if the last check found no failure, of this process or another', async () => {
    const [breaker, other] = [openBreaker(), openBreaker()]
    await breaker.check()
    const query = vi.spyOn(db.pool, 'query')
    onTestFinished(() => query.mockRestore())
    await breaker.recordSuccess()
    expect(query).not.toHaveBeenCalled()
    await breaker.recordFailure(7)
    await breaker.recordSuccess()
    expect(await failuresUntilOpen(other, 7)).toBeUndefined()
    await breaker.check()
    await breaker.recordSuccess()
    expect(await failuresUntilOpen(other, 7)).toBeUndefined()
  })

  it('doubles its open time with each failed probe, and closes when one succeeds', async () => {
    const breaker = openBreaker({ initialOpenMs: 100_000, maxOpenMs: 10_000_000 })
    await breaker.open()
    for (const open of [100_000, 200_000, 400_000]) {
      const wait = Number(await breaker.check())
      expect([wait > open / 2, wait <= open]).toEqual([true, true])
      await db.pool.query(`update circuit set blocked_until = blocked_until - $1 * interval '1 ms'`, [wait])
      expect(await breaker.check()).toBe('probe')
      expect(await breaker.check()).not.toBe('probe')
      await breaker.recordFailure()
    }
    await breaker.recordSuccess()
    expect(await breaker.check()).toBe('closed')
  })
})
