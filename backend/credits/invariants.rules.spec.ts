import { describe, expect, it } from 'vitest'
import type { CreditAccountCommand } from './commands.ts'
import { creditAccount } from './creditAccount.decider.ts'
import type { CreditAccountEvent } from './events.ts'
import { faultOf } from './invariants.rules.ts'

const at = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString()
const common = (day: number) => ({ userId: 'ada', at: at(day) })
const grant = (lotId: string, amount: number, day: number, expiresAt: string | null = null) =>
  ({ type: 'GrantLot', ...common(day), lotId, source: 'subscription', amount, expiresAt }) as CreditAccountCommand
const hold = (holdId: string, amount: number, day: number) =>
  ({ type: 'HoldCredits', ...common(day), holdId, amount, openLimit: 9 }) as const
const release = (holdId: string, day: number, byOwner = false) =>
  ({ type: 'ReleaseHold', ...common(day), holdId, reason: 'failed', byOwner, renewalExpiresAt: at(99) }) as const

/** Commands of one account, which decide events of every type. */
const STORY: readonly CreditAccountCommand[] = [
  grant('free', 70, 1, at(10)),
  grant('sale-1', 100, 1),
  hold('a', 40, 2),
  hold('b', 15, 2),
  hold('c', 10, 2),
  { type: 'CaptureHold', ...common(3), holdId: 'c' },
  { type: 'ExpireLots', ...common(11) },
  // Of the free lot, which is over: once renewed, once forfeited.
  release('a', 12),
  release('b', 12, true),
  { type: 'WithdrawCredits', ...common(13), adjustmentId: 'x', amount: 5, reason: 'test' },
  { type: 'SetSpenders', ...common(14), teamId: 't', revision: 3, spenders: [{ id: 'bob', perMonth: 30 }] },
  { ...hold('e', 20, 14), spentBy: 'bob' },
  release('e', 14, true),
  hold('d', 130, 14),
  // In parts, as debt, and of no more than is left to claim.
  { type: 'ReverseLot', ...common(15), reversalId: 'q', lotId: 'sale-1', amount: 12, reason: 'refund' },
  { type: 'ReverseLot', ...common(15), reversalId: 'r', lotId: 'sale-1', amount: 99, reason: 'refund' },
  grant('sale-2', 70, 16),
  { type: 'RestoreLot', ...common(17), restorationId: 's', lotId: 'sale-1', amount: 60, stillClaimed: 12 },
  { type: 'RestoreLot', ...common(17), restorationId: 't', lotId: 'sale-1', amount: 99, stillClaimed: 12 },
  { type: 'ForfeitLots', ...common(18), lotIds: ['sale-2', 'sale-1'] },
  // Of lots that are closed.
  { type: 'ReverseLot', ...common(19), reversalId: 'u', lotId: 'sale-2', amount: 20, reason: 'refund' },
  { type: 'RestoreLot', ...common(19), restorationId: 'v', lotId: 'sale-2', amount: 20, stillClaimed: 5 },
]

function decisions() {
  let before = creditAccount.initial
  return STORY.map((command) => {
    const events = creditAccount.decide(command, before)
    const decision = { command, before, events }
    before = events.reduce(creditAccount.evolve, before)
    return decision
  })
}

const judge = ({ command, before }: ReturnType<typeof decisions>[number], events: readonly CreditAccountEvent[]) =>
  faultOf({ command, before, events, after: events.reduce(creditAccount.evolve, before) })

/** Returns copies of the events in each of which one amount is changed by `by`, with the place of the amount. */
function changedBy(by: number, events: readonly CreditAccountEvent[]) {
  const changed: { place: string; events: CreditAccountEvent[] }[] = []
  const visit = (value: unknown, place: string, set: (next: unknown) => CreditAccountEvent[]) => {
    if (typeof value === 'number') changed.push({ place, events: set(value + by) })
    else if (value && typeof value === 'object')
      for (const [key, inner] of Object.entries(value))
        visit(inner, `${place}.${Array.isArray(value) ? 'n' : key}`, (next) =>
          set(Array.isArray(value) ? value.with(Number(key), next) : { ...value, [key]: next }),
        )
  }
  for (const [index, { type, data }] of events.entries())
    visit(data, type, (next) => events.with(index, { type, data: next } as CreditAccountEvent) as CreditAccountEvent[])
  return changed
}

describe('the invariants of credit accounts', () => {
  it('hold for every decision, and the story decides every type of event', () => {
    const all = decisions()
    expect(all.map((decision) => judge(decision, decision.events)).filter(Boolean)).toEqual([])
    const types = new Set(all.flatMap(({ events }) => events.map(({ type }) => type)))
    expect([...types].toSorted()).toEqual(Object.keys(creditAccount.schemas).toSorted())
  })

  it('refuse a decision in which any amount is a credit too large or too small', () => {
    const missed = decisions().flatMap((decision) =>
      [1, -1].flatMap((by) =>
        changedBy(by, decision.events)
          .filter(({ events }) => judge(decision, events) === undefined)
          .map(({ place }) => `${place} ${by}`),
      ),
    )
    // Fewer credits may be claimed or given back than was asked, and repaid than are there.
    const smaller = missed.filter((each) => !/^(CreditsReversed|CreditsRestored|CreditDebtRepaid).* -1$/.test(each))
    expect(smaller).toEqual([])
  })

  it('refuse fractions, and states that no sum shows', () => {
    const after = decisions().reduce(
      (state, { events }) => events.reduce(creditAccount.evolve, state),
      creditAccount.initial,
    )
    const judgeState = (change: Partial<typeof after>) => {
      const broken = { ...after, ...change }
      const command = decisions()[5]!.command
      return faultOf({
        command,
        before: broken,
        events: [{ type: 'CreditDebtRepaid', data: {} as never }],
        after: broken,
      })
    }
    const [lot, closed] = [after.lots[0]!, after.closed[0]!]
    expect(judgeState({})).toBeUndefined()
    expect(judgeState({ lots: [{ ...lot, left: 0.5 }] })).toContain('leaves 0.5')
    expect(judgeState({ lots: [{ ...lot, forfeited: -1 }] })).toContain('-1')
    expect(judgeState({ closed: [{ ...closed, reversed: -1 }] })).toContain('-1')
    expect(judgeState({ closed: [{ ...closed, reversed: closed.granted + 1 }] })).toContain('claims')
    expect(judgeState({ debt: -1 })).toBe('leaves a debt of -1')
    for (const amounts of [[0], [0.5], [1, 0], [2, 1.5]]) {
      const parts = amounts.map((amount) => ({ lotId: lot.id, amount }))
      expect(judgeState({ holds: [{ id: 'x', parts }] })).toBe('holds a part without credits for x')
    }
    expect(judgeState({ holds: [{ id: 'x', parts: [{ lotId: lot.id, amount: 1 }] }] })).toBeUndefined()
  })
})
