import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AccountBook } from '../audit/accountBook.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { CreditAccountCommand } from './commands.ts'
import { creditAccount } from './creditAccount.decider.ts'
import type { CreditAccountEvent, KeyLimits } from './events.ts'
import type { CreditAccount } from './lots.rules.ts'

const userId = 'user'
const time = (day: number, hour = 12) => new Date(Date.UTC(2026, 0, day, hour)).toISOString()
const grant = (amount: number): CreditAccountCommand => ({
  type: 'GrantLot',
  ...{ userId, lotId: 'lot', source: 'payment', amount, expiresAt: null, at: time(1) },
})
const hold = (holdId: string, amount: number, at: string, key?: KeyLimits): CreditAccountCommand => ({
  type: 'HoldCredits',
  ...{ userId, holdId, amount, openLimit: 100, at, ...(key && { key }) },
})
const release = (holdId: string, at: string): CreditAccountCommand => ({
  type: 'ReleaseHold',
  ...{ userId, holdId, reason: 'cancelled', byOwner: false, renewalExpiresAt: time(60), at },
})
const capture = (holdId: string, at: string): CreditAccountCommand => ({ type: 'CaptureHold', userId, holdId, at })

/** An account whose decisions are checked like stored ones, with what the auditor's book says of its events. */
class Account {
  state: CreditAccount = creditAccount.initial
  readonly book = new AccountBook()
  readonly events: CreditAccountEvent[] = []

  send(command: CreditAccountCommand): string | undefined {
    const before = this.state
    try {
      const events = creditAccount.decide(command, before)
      this.state = events.reduce(creditAccount.evolve, before)
      if (events.length > 0)
        expect(creditAccount.faultOf?.({ command, before, events, after: this.state })).toBeUndefined()
      for (const event of events) expect(this.book.post(event)).toEqual([])
      this.events.push(...events)
      return undefined
    } catch (error) {
      if (error instanceof Rejection) return error.code
      throw error
    }
  }
}

describe('limits of API keys', () => {
  const key = { id: 'key', perDay: 60, perMonth: 100 }

  it('refuse a hold that passes the limit of the day, and name its renewal', () => {
    const account = new Account()
    account.send(grant(1_000))
    expect(account.send(hold('a', 60, time(1), key))).toBeUndefined()
    expect(() => creditAccount.decide(hold('b', 30, time(1), key), account.state)).toThrow(
      expect.objectContaining({
        code: 'key_limit_reached',
        fields: { required: 30, limit: 60, spent: 60, renews_at: time(2, 0) },
      }),
    )
    expect(account.send(hold('b', 30, time(2), key))).toBeUndefined()
  })

  it('refuse a hold that passes the limit of the month, until the next begins', () => {
    const account = new Account()
    account.send(grant(1_000))
    for (const [id, day] of Object.entries({ a: 1, b: 2 })) account.send(hold(id, 50, time(day), key))
    expect(account.send(hold('c', 30, time(31), key))).toBe('key_limit_reached')
    expect(account.send(hold('c', 30, time(32), key))).toBeUndefined()
  })

  it('count neither other keys nor sessions', () => {
    const account = new Account()
    account.send(grant(1_000))
    account.send(hold('a', 60, time(1), { id: 'other' }))
    account.send(hold('b', 60, time(1)))
    expect(account.send(hold('c', 60, time(1), key))).toBeUndefined()
  })

  it('get released credits back on the day of the hold, and not on a later day', () => {
    const account = new Account()
    account.send(grant(1_000))
    account.send(hold('a', 60, time(1), key))
    account.send(release('a', time(1)))
    account.send(hold('b', 60, time(1), key))
    account.send(hold('c', 30, time(2), key))
    account.send(release('b', time(2)))
    expect(account.state.keys).toEqual([{ id: 'key', day: '2026-01-02', ofDay: 30, ofMonth: 30 }])
  })

  it('are in the hold, as they were when it was decided', () => {
    const account = new Account()
    account.send(grant(1_000))
    account.send(hold('a', 60, time(1), key))
    expect(account.events.at(-1)).toMatchObject({ type: 'CreditsHeld', data: { key } })
  })
})

const Step = fc.record({
  kind: fc.constantFrom('hold', 'hold', 'hold', 'release', 'capture'),
  amount: fc.integer({ min: 1, max: 60 }),
  key: fc.constantFrom('one', 'two', undefined),
  /** Hours since the step before; the clock of another process may be behind. */
  hours: fc.integer({ min: -3, max: 40 }),
  pick: fc.nat(),
})

it('no history lets a key hold and spend more than its limits, by an independent count of its events', () => {
  const run = (steps: readonly (typeof Step extends fc.Arbitrary<infer S> ? S : never)[]) => {
    const limits: Record<string, KeyLimits> = {
      one: { id: 'one', perDay: 90, perMonth: 200 },
      two: { id: 'two', perMonth: 120 },
    }
    const account = new Account()
    account.send(grant(5_000))
    let [hours, count] = [30, 0]
    for (const { kind, amount, key, hours: passed, pick } of steps) {
      hours += passed
      const at = time(1, hours)
      const open = account.state.holds[pick % Math.max(1, account.state.holds.length)]
      if (kind === 'hold') account.send(hold(`h${count++}`, amount, at, key && limits[key]))
      else if (open) account.send(kind === 'release' ? release(open.id, at) : capture(open.id, at))
    }
    for (const [period, spent] of account.book.spentByKeys) {
      const [id, when] = period.split(' ') as [string, string]
      const limit = when.length === 7 ? limits[id]!.perMonth : limits[id]!.perDay
      expect(spent).toBeGreaterThanOrEqual(0)
      expect(spent).toBeLessThanOrEqual(limit ?? Number.POSITIVE_INFINITY)
    }
    for (const { id, day, ofDay, ofMonth } of account.state.keys) {
      expect(account.book.spentByKeys.get(`${id} ${day}`)).toBe(ofDay)
      expect(account.book.spentByKeys.get(`${id} ${day.slice(0, 7)}`)).toBe(ofMonth)
    }
  }
  fc.assert(fc.property(fc.array(Step, { maxLength: 120 }), run), { numRuns: 300, seed: 22 })
})

it('the auditor finds a hold that passes the limit that it states', () => {
  const book = new AccountBook()
  const post = (type: string, data: object) => book.post({ type, data: { userId, ...data } } as CreditAccountEvent)
  post('CreditLotGranted', { lotId: 'lot', source: 'payment', amount: 100, expiresAt: null, at: time(1) })
  const held = { parts: [{ lotId: 'lot', amount: 30 }], key: { id: 'key', perMonth: 50 }, at: time(2) }
  expect(post('CreditsHeld', { ...held, holdId: 'a' })).toEqual([])
  expect(post('CreditsHeld', { ...held, holdId: 'b' })).toEqual(['The API key key spends 60 of 50 credits in 2026-01.'])
})
