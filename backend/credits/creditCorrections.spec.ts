import { describe, expect, it } from 'vitest'
import { createHandle } from '../kernel/eventsourcing/handle.ts'
import { chainStart } from '../kernel/eventsourcing/pure/eventHash.ts'
import { createMemoryEventStore } from '../kernel/eventsourcing/testing/memoryEventStore.ts'
import { specification } from '../kernel/eventsourcing/testing/specification.ts'
import type { CreditAccountCommand } from './commands.ts'
import { creditAccount } from './creditAccount.decider.ts'
import type { LotPart, LotSource } from './events.ts'

const given = specification(creditAccount)
const userId = 'user'
const day = (n: number) => `2026-01-${String(n).padStart(2, '0')}T00:00:00.000Z`
const at = day(10)
const part = (lotId: string, amount: number): LotPart => ({ lotId, amount })

const granted = (lotId: string, amount: number, source: LotSource = 'free', expiresAt: string | null = null) =>
  ({ type: 'CreditLotGranted', data: { userId, lotId, source, amount, expiresAt, at } }) as const
const plan = (lotId: string, amount: number) => granted(lotId, amount, 'subscription')
const held = (holdId: string, ...parts: LotPart[]) =>
  ({ type: 'CreditsHeld', data: { userId, holdId, parts, at } }) as const
const captured = (holdId: string) => ({ type: 'CreditsCaptured', data: { userId, holdId, at } }) as const
const spent = (holdId: string, ...parts: LotPart[]) => [held(holdId, ...parts), captured(holdId)]
const closed = (lotId: string, amount: number, reason: 'expired' | 'subscription_ended' = 'expired') =>
  ({ type: 'CreditLotClosed', data: { userId, lotId, amount, reason, at } }) as const
const reversed = (reversalId: string, lotId: string, parts: LotPart[], debt: number) =>
  ({ type: 'CreditsReversed', data: { userId, reversalId, lotId, parts, debt, reason: 'refund', at } }) as const
const repaid = (...parts: LotPart[]) => ({ type: 'CreditDebtRepaid', data: { userId, parts, at } }) as const
const withdrawn = (adjustmentId: string, ...parts: LotPart[]) =>
  ({ type: 'CreditsWithdrawn', data: { userId, adjustmentId, parts, reason: 'a mistake', at } }) as const
const renewal = { lotId: 'returned-t', expiresAt: day(31) }
const released = (parts: LotPart[], renewedAmount: number) =>
  ({
    type: 'CreditsReleased',
    data: {
      userId,
      holdId: 't',
      reason: 'failed',
      parts,
      renewed: renewedAmount > 0 ? { ...renewal, amount: renewedAmount } : null,
      at,
    },
  }) as const

const reverse = (reversalId: string, lotId: string, amount?: number): CreditAccountCommand => ({
  type: 'ReverseLot',
  userId,
  reversalId,
  lotId,
  reason: 'refund',
  ...(amount === undefined ? {} : { amount }),
  at,
})
const grant = (event: ReturnType<typeof granted>): CreditAccountCommand => ({ ...event.data, type: 'GrantLot' })
const hold = (amount: number, openLimit = 9): CreditAccountCommand => ({
  type: 'HoldCredits',
  userId,
  holdId: 'new',
  amount,
  openLimit,
  at,
})
const withdraw = (adjustmentId: string, amount: number): CreditAccountCommand => ({
  type: 'WithdrawCredits',
  userId,
  adjustmentId,
  amount,
  reason: 'a mistake',
  at,
})
const release: CreditAccountCommand = {
  type: 'ReleaseHold',
  userId,
  holdId: 't',
  reason: 'failed',
  byOwner: false,
  renewalExpiresAt: day(31),
  at,
}
const expire: CreditAccountCommand = { type: 'ExpireLots', userId, at }

describe('reversing a lot more than once', () => {
  it('claims only what earlier reversals have left, from the lot or as debt', () => {
    given(plan('p', 100), reversed('r1', 'p', [part('p', 30)], 0), reversed('r2', 'p', [part('p', 30)], 0))
      .when(reverse('r3', 'p'))
      .decides(reversed('r3', 'p', [part('p', 40)], 0))
    given(plan('p', 100), ...spent('t', part('p', 90)), reversed('r1', 'p', [part('p', 10)], 30))
      .when(reverse('r2', 'p'))
      .decides(reversed('r2', 'p', [], 60))
  })

  it('claims from a closed lot only what earlier reversals have left', () => {
    const over = [plan('p', 100), ...spent('t', part('p', 90)), closed('p', 10, 'subscription_ended')]
    given(...over, reversed('r1', 'p', [], 50))
      .when(reverse('r2', 'p'))
      .decides(reversed('r2', 'p', [], 40))
  })

  it('leaves what can be claimed from other lots unchanged', () => {
    given(plan('p', 100), plan('q', 50), reversed('r1', 'p', [part('p', 100)], 0))
      .when(reverse('r2', 'q'))
      .decides(reversed('r2', 'q', [part('q', 50)], 0))
  })

  it('ignores a repeated reversal, also after another one', () => {
    given(plan('p', 100), reversed('r1', 'p', [part('p', 30)], 0), reversed('r2', 'p', [part('p', 30)], 0))
      .when(reverse('r1', 'p', 30))
      .decidesNothing()
  })
})

describe('reversing a lot that has ended', () => {
  it('claims nothing for the credits that expired, and nothing from them', () => {
    const over = [granted('p', 60, 'subscription', day(9)), ...spent('t', part('p', 20))]
    given(...over)
      .when(reverse('r', 'p'))
      .decides(reversed('r', 'p', [], 20))
    given(granted('free', 50), ...over)
      .when(reverse('r', 'p'))
      .decides(reversed('r', 'p', [part('free', 20)], 0))
  })

  it('claims the spent credits of a closed lot from other lots', () => {
    const over = [plan('p', 100), ...spent('t', part('p', 30)), closed('p', 70, 'subscription_ended')]
    given(granted('free', 60), ...over)
      .when(reverse('r', 'p'))
      .decides(reversed('r', 'p', [part('free', 30)], 0))
  })

  it('finds each of several closed lots, with its own forfeited credits', () => {
    const over = [plan('p', 100), plan('q', 50), ...spent('t', part('p', 30), part('q', 20))]
    const both = [...over, closed('p', 70, 'subscription_ended'), closed('q', 30, 'subscription_ended')]
    given(...both)
      .when(reverse('r', 'p'))
      .decides(reversed('r', 'p', [], 30))
    given(...both)
      .when(reverse('r', 'q'))
      .decides(reversed('r', 'q', [], 20))
  })

  it('decides nothing for a lot that was never granted, whatever lots there are', () => {
    given(plan('p', 100), plan('q', 50), closed('q', 50)).when(reverse('r', 'x')).decidesNothing()
  })
})

describe('reversing a lot with one credit left', () => {
  it('claims that credit from the lot', () => {
    given(plan('p', 10), ...spent('t', part('p', 9)))
      .when(reverse('r', 'p', 1))
      .decides(reversed('r', 'p', [part('p', 1)], 0))
  })
})

describe('debt', () => {
  const owing = (debt: number) => [plan('p', 100), ...spent('t', part('p', 100)), reversed('r', 'p', [], debt)]

  it('adds up over several reversals and is repaid from the next grant', () => {
    given(...owing(30), reversed('r2', 'p', [], 50))
      .when(grant(granted('free', 200)))
      .decides(granted('free', 200), repaid(part('free', 80)))
  })

  it('is repaid in parts: the next grant repays what the last one could not', () => {
    const once = [...owing(80), granted('a', 50), repaid(part('a', 50))]
    given(...once)
      .when(grant(granted('b', 100)))
      .decides(granted('b', 100), repaid(part('b', 30)))
    given(...once, granted('b', 100), repaid(part('b', 30)))
      .when(hold(71))
      .rejects('insufficient_credits')
    given(...once, granted('b', 100), repaid(part('b', 30)))
      .when(hold(70))
      .decides(held('new', part('b', 70)))
  })

  it('is repaid down to the last credit', () => {
    given(...owing(1))
      .when(grant(granted('free', 60)))
      .decides(granted('free', 60), repaid(part('free', 1)))
  })

  it('is not repaid from credits that had expired before they were granted', () => {
    given(...owing(80))
      .when(grant(granted('late', 60, 'free', day(9))))
      .decides(granted('late', 60, 'free', day(9)))
  })
})

describe('withdrawing credits more than once', () => {
  it('takes each withdrawal from what the others left', () => {
    given(granted('free', 60), withdrawn('w1', part('free', 40)))
      .when(withdraw('w2', 21))
      .rejects('insufficient_credits')
  })

  it('ignores a repeated withdrawal, also after another one', () => {
    given(granted('free', 60), withdrawn('w1', part('free', 10)), withdrawn('w2', part('free', 10)))
      .when(withdraw('w1', 10))
      .decidesNothing()
  })
})

describe('releasing a hold', () => {
  it('returns nothing to a lot that had expired: its credits are in the new lot', () => {
    const open = [granted('a', 60, 'free', day(9)), granted('b', 60), held('t', part('a', 60), part('b', 30))]
    given(...open)
      .when(release)
      .decides(released([part('b', 30)], 60))
    given(...open, released([part('b', 30)], 60))
      .when(expire)
      .decides(closed('a', 0))
  })

  it('moves even a single credit into a new lot', () => {
    given(granted('a', 1, 'free', day(9)), held('t', part('a', 1)))
      .when(release)
      .decides(released([], 1))
  })

  it('leaves other holds open', () => {
    given(granted('a', 60), held('t', part('a', 30)), held('u', part('a', 30)), captured('t'))
      .when({ type: 'CaptureHold', userId, holdId: 'u', at })
      .decides(captured('u'))
  })
})

describe('holding credits', () => {
  it('takes credits from no more lots than needed', () => {
    given(granted('a', 60), granted('b', 60))
      .when(hold(60))
      .decides(held('new', part('a', 60)))
    given(granted('a', 60))
      .when(hold(1))
      .decides(held('new', part('a', 1)))
  })

  it('takes credits that expire before those of a subscription', () => {
    given(plan('p', 60), granted('soon', 60, 'free', day(20)))
      .when(hold(60))
      .decides(held('new', part('soon', 60)))
  })

  it('names the limit of open tasks when it is reached', () => {
    const account = [granted('a', 60), held('t', part('a', 30))].reduce(creditAccount.evolve, creditAccount.initial)
    expect(() => creditAccount.decide(hold(30, 1), account)).toThrow(expect.objectContaining({ fields: { limit: 1 } }))
  })
})

describe('a credit account', () => {
  it('keeps closed lots that can still be reversed, but not those of returned credits', () => {
    const events = [plan('p', 60), granted('b', 5), closed('p', 60), held('t', part('b', 5)), released([], 5)] as const
    const account = [...events, closed('returned-t', 5)].reduce<typeof creditAccount.initial>(
      creditAccount.evolve,
      creditAccount.initial,
    )
    expect(account.closed.map(({ id }) => id)).toEqual(['p'])
  })

  it('is hash chained', async () => {
    const store = createMemoryEventStore()
    const context = { commandId: 'c', actor: 'user', correlationId: 'c' }
    await createHandle(store)(creditAccount, userId, grant(granted('a', 60)), context)
    expect(store.log[0]!.meta.previousHash).toBe(chainStart(`creditAccount-${userId}`))
  })
})
