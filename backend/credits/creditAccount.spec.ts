import { describe, expect, it } from 'vitest'
import { Rejection } from '../eventsourcing/decider.ts'
import { specification } from '../eventsourcing/specification.ts'
import { type CreditAccount, type CreditAccountCommand, creditAccount, spendable } from './creditAccount.ts'
import type { CreditAccountEvent, LotPart } from './events.ts'

const given = specification(creditAccount)
const userId = 'user'
const day = (n: number) => `2026-01-${String(n).padStart(2, '0')}T00:00:00.000Z`
const at = day(10)

const granted = (lotId: string, amount: number, expiresAt: string | null = null): CreditAccountEvent => ({
  type: 'CreditLotGranted',
  data: { userId, lotId, source: 'free', amount, expiresAt, at: day(1) },
})
const held = (holdId: string, ...parts: LotPart[]): CreditAccountEvent => ({
  type: 'CreditsHeld',
  data: { userId, holdId, parts, at },
})
const captured = (holdId: string): CreditAccountEvent => ({ type: 'CreditsCaptured', data: { userId, holdId, at } })
const released = (holdId: string): CreditAccountEvent => ({
  type: 'CreditsReleased',
  data: { userId, holdId, reason: 'not delivered', at },
})
const part = (lotId: string, amount: number): LotPart => ({ lotId, amount })
const hold = (holdId: string, amount: number, openLimit = 2): CreditAccountCommand => ({
  type: 'HoldCredits',
  userId,
  holdId,
  amount,
  openLimit,
  at,
})
const capture = (holdId: string): CreditAccountCommand => ({ type: 'CaptureHold', userId, holdId, at })
const release = (holdId: string): CreditAccountCommand => ({
  type: 'ReleaseHold',
  userId,
  holdId,
  reason: 'not delivered',
  at,
})
const grant = (lotId: string, amount: number): CreditAccountCommand => ({
  type: 'GrantLot',
  userId,
  lotId,
  source: 'free',
  amount,
  expiresAt: null,
  at: day(1),
})

describe('granting a lot', () => {
  it('happens once however often it is asked for', () => {
    given().when(grant('a', 60)).decides(granted('a', 60))
    given(granted('a', 60)).when(grant('a', 999)).decidesNothing()
  })
  it('adds a second lot beside the first', () => {
    given(granted('a', 60)).when(grant('b', 5)).decides(granted('b', 5))
  })
})

describe('holding credits', () => {
  it('takes them off the only lot', () => {
    given(granted('a', 60))
      .when(hold('t', 30))
      .decides(held('t', part('a', 30)))
  })
  it('takes the lot that expires soonest first, whatever the order of grants', () => {
    given(granted('never', 60), granted('late', 20, day(25)), granted('soon', 10, day(20)))
      .when(hold('t', 40))
      .decides(held('t', part('soon', 10), part('late', 20), part('never', 10)))
  })
  it('takes the one granted first among lots that expire together, however many there are', () => {
    const lots = Array.from({ length: 40 }, (_, n) => granted(`lot${n}`, 1, day(20)))
    const parts = Array.from({ length: 40 }, (_, n) => part(`lot${n}`, 1))
    given(...lots)
      .when(hold('t', 40))
      .decides(held('t', ...parts))
  })
  it('passes over lots that are used up or expired', () => {
    given(granted('gone', 60, day(9)), granted('empty', 5), held('x', part('empty', 5)), granted('good', 30))
      .when(hold('t', 30))
      .decides(held('t', part('good', 30)))
  })
  it('counts a lot as expired at the very instant it expires', () => {
    given(granted('a', 60, at))
      .when(hold('t', 30))
      .rejects('insufficient_credits')
  })
  it('does not happen twice for one task, not even with nothing left', () => {
    given(granted('a', 30), held('t', part('a', 30)))
      .when(hold('t', 30))
      .decidesNothing()
  })
  it('is refused without enough credits, saying how many there are', () => {
    given(granted('a', 29)).when(hold('t', 30)).rejects('insufficient_credits')
    const account = [granted('a', 29)].reduce(creditAccount.evolve, creditAccount.initial)
    expect(() => creditAccount.decide(hold('t', 30), account)).toThrow(
      expect.objectContaining({ fields: { required: 30, remaining: 29 } }),
    )
  })
  it('is refused when as many tasks are open as the plan allows, and possible again when one is over', () => {
    const two = [granted('a', 90), held('t', part('a', 30)), held('u', part('a', 30))]
    given(...two)
      .when(hold('v', 30))
      .rejects('queue_full')
    given(...two, captured('u'))
      .when(hold('v', 30))
      .decides(held('v', part('a', 30)))
    given(...two)
      .when(hold('v', 30, 3))
      .decides(held('v', part('a', 30)))
  })
  it('says that credits are missing rather than that the queue is full', () => {
    given(granted('a', 60), held('t', part('a', 30)), held('u', part('a', 30)))
      .when(hold('v', 30))
      .rejects('insufficient_credits')
  })
  it('is refused for a task whose credits were settled', () => {
    given(granted('a', 60), held('t', part('a', 30)), captured('t'))
      .when(hold('t', 30))
      .rejects('hold_settled')
    given(granted('a', 60), held('t', part('a', 30)), released('t'))
      .when(hold('t', 30))
      .rejects('hold_settled')
  })
})

describe('settling a hold', () => {
  const open = [granted('a', 60, day(20)), granted('b', 60), held('t', part('a', 60), part('b', 30))]
  it('captures it once', () => {
    given(...open)
      .when(capture('t'))
      .decides(captured('t'))
  })
  it('releases it once', () => {
    given(...open)
      .when(release('t'))
      .decides(released('t'))
  })
  it('gives the credits back to the lots they came from', () => {
    given(...open, released('t'))
      .when(hold('u', 120))
      .decides(held('u', part('a', 60), part('b', 60)))
  })
  it('does not bring an expired lot back to life', () => {
    given(...open, released('t'))
      .when({ ...hold('u', 61), at: day(21) } as CreditAccountCommand)
      .rejects('insufficient_credits')
  })
  it('keeps to its first outcome', () => {
    given(...open, captured('t'))
      .when(release('t'))
      .decidesNothing()
    given(...open, released('t'))
      .when(capture('t'))
      .decidesNothing()
  })
  it('does nothing for a task without a hold', () => {
    given(...open)
      .when(capture('other'))
      .decidesNothing()
    given(...open)
      .when(release('other'))
      .decidesNothing()
  })
})

/** Mulberry32: the same numbers for the same seed. */
function seeded(seed: number): (below: number) => number {
  let a = seed
  return (below) => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

function randomCommand(random: (below: number) => number, step: number): CreditAccountCommand {
  const id = `${random(8)}`
  const now = day(1 + Math.floor(step / 2))
  switch (random(4)) {
    case 0: {
      const expiresAt = random(2) ? null : day(1 + random(28))
      return { type: 'GrantLot', userId, lotId: id, source: 'free', amount: 1 + random(60), expiresAt, at: now }
    }
    case 1:
      return { type: 'HoldCredits', userId, holdId: id, amount: 1 + random(60), openLimit: 1 + random(4), at: now }
    case 2:
      return { type: 'CaptureHold', userId, holdId: id, at: now }
    default:
      return { type: 'ReleaseHold', userId, holdId: id, reason: 'random', at: now }
  }
}

const sum = (parts: readonly LotPart[]) => parts.reduce((total, { amount }) => total + amount, 0)
const inLots = ({ lots }: CreditAccount) => lots.reduce((total, { left }) => total + left, 0)
const inHolds = ({ holds }: CreditAccount) => [...holds.values()].reduce((total, parts) => total + sum(parts), 0)

describe('2,000 random histories of an account', () => {
  it('neither lose a credit, nor make one, nor overdraw a lot', () => {
    let accepted = 0
    let refused = 0
    for (let seed = 1; seed <= 2_000; seed++) {
      const random = seeded(seed)
      let account = creditAccount.initial
      let total = 0
      let spent = 0
      for (let step = 0; step < 50; step++) {
        const command = randomCommand(random, step)
        const before = spendable(account, command.at)
        try {
          for (const event of creditAccount.decide(command, account)) {
            accepted++
            if (event.type === 'CreditLotGranted') total += event.data.amount
            if (event.type === 'CreditsCaptured') spent += sum(account.holds.get(event.data.holdId)!)
            if (event.type === 'CreditsHeld' && command.type === 'HoldCredits') {
              expect(sum(event.data.parts)).toBe(command.amount)
              expect(before).toBeGreaterThanOrEqual(command.amount)
              expect(account.holds.size).toBeLessThan(command.openLimit)
            }
            account = creditAccount.evolve(account, event)
          }
        } catch (error) {
          if (!(error instanceof Rejection)) throw error
          refused++
        }
        if (account.lots.some(({ left }) => left < 0)) expect.fail(`a negative lot, seed ${seed}`)
        if (inLots(account) + inHolds(account) + spent !== total) expect.fail(`unbalanced, seed ${seed}`)
      }
    }
    expect(accepted).toBeGreaterThan(20_000)
    expect(refused).toBeGreaterThan(2_000)
  })
})
