import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { limitsOf } from './limits.ts'
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

/** Whether it may be done; else the seconds to wait. */
const take = (by = throttle) =>
  by.take('spec', subject, limit).then(
    () => true,
    (error) => {
      expect(error.code).toBe('too_many_requests')
      return error.fields.retryAfter as number
    },
  )

describe('a limit', () => {
  it('lets a burst through, then one for each while, and says how long to wait', async () => {
    expect([await take(), await take(), await take(), await take()]).toEqual([true, true, true, 10])
    clock += 4_000
    expect(await take()).toBe(6)
    clock += 6_000
    expect([await take(), await take()]).toEqual([true, 10])
  })

  it('is whole again after a rest, and never keeps anyone out longer, however often they tried', async () => {
    for (let n = 0; n < 50; n++) await take()
    clock += 10_000
    expect(await take()).toBe(true)
    clock += 30_000
    expect([await take(), await take(), await take(), await take()]).toEqual([true, true, true, 10])
  })

  it('counts all processes together, and every one of many at once', async () => {
    const other = createThrottle(db.database, key, () => clock)
    const all = await Promise.all(Array.from({ length: 30 }, (_, n) => take(n % 2 ? throttle : other)))
    expect(all.filter((taken) => taken === true)).toHaveLength(3)
  })

  it('gives back what did not count', async () => {
    for (let n = 0; n < 9; n++) {
      expect(await take()).toBe(true)
      await throttle.giveBack('spec', subject, limit)
    }
  })

  it('keeps no name, and nothing for ever', async () => {
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
  it('hold for registrations in production only, and are wide for one network address elsewhere', () => {
    const [production, elsewhere] = [limitsOf(true), limitsOf(false)]
    expect([production.registrations?.burst, elsewhere.registrations]).toEqual([10, undefined])
    expect(elsewhere.signInAddress.burst).toBe(20 * production.signInAddress.burst)
    expect(elsewhere.signInAccount).toEqual(production.signInAccount)
  })
})
