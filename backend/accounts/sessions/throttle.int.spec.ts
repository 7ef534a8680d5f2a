import { randomBytes } from 'node:crypto'
import type { Context } from 'koa'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { networkAddress } from '../../kernel/http/fairness/networkAddress.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { createAttempts, limitsOf } from './limits.ts'
import { createThrottle, type Throttle } from './throttle.ts'

let db: TemporaryDatabase
let clock: number
let throttle: Throttle
let subject: string
const key = randomBytes(32)
const limit = { burst: 3, everyMs: 10_000 }
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())
beforeEach(() => {
  clock = Date.now()
  subject = crypto.randomUUID()
  throttle = createThrottle(db.database, key, () => clock)
})

/** Returns true if the attempt is allowed, otherwise the seconds to wait. */
const take = (by = throttle) =>
  by.take('spec', subject, limit).then(
    () => true,
    (error) => {
      expect(error.code).toBe('too_many_requests')
      return error.fields.retryAfter as number
    },
  )

describe('a throttle', () => {
  it('allows a burst, then one attempt per interval, and returns the seconds to wait', async () => {
    expect([await take(), await take(), await take(), await take()]).toEqual([true, true, true, 10])
    clock += 4_000
    expect(await take()).toBe(6)
    clock += 6_000
    expect([await take(), await take()]).toEqual([true, 10])
  })

  it('refills while idle, and makes no subject wait longer than one interval', async () => {
    for (let n = 0; n < 50; n++) await take()
    clock += 10_000
    expect(await take()).toBe(true)
    clock += 30_000
    expect([await take(), await take(), await take(), await take()]).toEqual([true, true, true, 10])
  })

  it('counts concurrent attempts of all processes together', async () => {
    const other = createThrottle(db.database, key, () => clock)
    const all = await Promise.all(Array.from({ length: 30 }, (_, n) => take(n % 2 ? throttle : other)))
    expect(all.filter((taken) => taken === true)).toHaveLength(3)
  })

  it('does not count attempts that are given back', async () => {
    for (let n = 0; n < 9; n++) {
      expect(await take()).toBe(true)
      await throttle.giveBack('spec', subject, limit)
    }
  })

  it('stores subjects as hashes and deletes old counts', async () => {
    await db.pool.query('truncate throttle')
    await take()
    const rows = async () =>
      (await db.pool.query<{ key: string }>('select key from throttle')).rows.map(({ key }) => key)
    const before = await rows()
    expect(before.join()).not.toContain(subject)
    clock += 3_600_000
    subject = crypto.randomUUID()
    await take()
    expect((await rows()).filter((name) => before.includes(name))).toEqual([])
  })
})

describe('the limits', () => {
  it('limit registrations in production only, and are wider per network address outside production', () => {
    const [production, elsewhere] = [limitsOf(true), limitsOf(false)]
    expect([production.register?.burst, elsewhere.register]).toEqual([10, undefined])
    expect(elsewhere['sign in from'].burst).toBe(20 * production['sign in from'].burst)
    expect(elsewhere['sign in']).toEqual(production['sign in'])
  })
})

describe('attempts from IPv6 networks', () => {
  it('count for the /48 network, too, with ten times the limit', async () => {
    const attempts = createAttempts(throttle, { recordThrottle: async () => {} }, () => {}, true)
    const prefix = `2001:db8:${subject.slice(0, 4)}`
    const from = (network: number) => {
      const ctx = { ip: `${prefix}:${network}::1` } as Context
      return attempts.take(ctx, 'register', networkAddress(ctx))
    }
    for (let network = 0; network < 100; network++) await from(network)
    await expect(from(100)).rejects.toMatchObject({ code: 'too_many_requests' })
    await expect(attempts.take({ ip: '203.0.113.9' } as Context, 'register', '203.0.113.9')).resolves.toBeUndefined()
  })
})
