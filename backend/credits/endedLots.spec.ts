import { describe, it } from 'vitest'
import { specification } from '../kernel/eventsourcing/testing/specification.ts'
import type { CreditAccountCommand } from './commands.ts'
import { creditAccount } from './creditAccount.decider.ts'
import type { CreditAccountEvent, LotPart } from './events.ts'

const given = specification(creditAccount)
const userId = 'user'
const day = (n: number) => `2026-01-${String(n).padStart(2, '0')}T00:00:00.000Z`
const at = day(10)
const part = (lotId: string, amount: number): LotPart => ({ lotId, amount })

const granted = (lotId: string, amount: number, expiresAt: string | null = null) =>
  ({
    type: 'CreditLotGranted',
    data: { userId, lotId, source: expiresAt ? 'adjustment' : 'subscription', amount, expiresAt, at },
  }) as const
const held = (holdId: string, ...parts: LotPart[]) =>
  ({ type: 'CreditsHeld', data: { userId, holdId, parts, at } }) as const
const closed = (lotId: string, amount: number, reason: 'expired' | 'subscription_ended' = 'subscription_ended') =>
  ({ type: 'CreditLotClosed', data: { userId, lotId, amount, reason, at } }) as const
const reversed = (reversalId: string, parts: LotPart[], debt: number) =>
  ({ type: 'CreditsReversed', data: { userId, reversalId, lotId: 'p', parts, debt, reason: 'refund', at } }) as const
const repaid = (...parts: LotPart[]) => ({ type: 'CreditDebtRepaid', data: { userId, parts, at } }) as const
const released = (
  reason: string,
  { parts = [], renewed = 0, lost = [] }: { parts?: LotPart[]; renewed?: number; lost?: LotPart[] },
): CreditAccountEvent => ({
  type: 'CreditsReleased',
  data: {
    userId,
    holdId: 't',
    reason,
    parts,
    renewed: renewed > 0 ? { lotId: 'returned-t', amount: renewed, expiresAt: day(31) } : null,
    ...(lost.length > 0 ? { forfeited: lost } : {}),
    at,
  },
})
const release = (reason: string, byOwner: boolean) =>
  ({ type: 'ReleaseHold', userId, holdId: 't', reason, byOwner, renewalExpiresAt: day(31), at }) as const
const cancel = release('cancelled', true)
const fail = release('not delivered', false)
const refund = { type: 'ReverseLot', userId, reversalId: 'r', lotId: 'p', reason: 'refund', at } as const

describe('credits that are held over the end of their lot', () => {
  const over = [granted('p', 100), granted('q', 20), held('t', part('p', 30), part('q', 5)), closed('p', 70)]

  it('go with their lot if the owner cancels the task', () => {
    given(...over)
      .when(cancel)
      .decides(released('cancelled', { parts: [part('q', 5)], lost: [part('p', 30)] }))
    given(granted('p', 30, day(9)), held('t', part('p', 30)))
      .when(cancel)
      .decides(released('cancelled', { lost: [part('p', 30)] }))
  })

  it('go with their lot down to the last credit', () => {
    given(granted('p', 1), held('t', part('p', 1)), closed('p', 0))
      .when(cancel)
      .decides(released('cancelled', { lost: [part('p', 1)] }))
  })

  it('go into a new lot if the task fails', () => {
    given(...over)
      .when(fail)
      .decides(released('not delivered', { parts: [part('q', 5)], renewed: 30 }))
  })

  it('return to their lot while it is open, also if the owner cancels', () => {
    given(granted('p', 100), held('t', part('p', 30)))
      .when(cancel)
      .decides(released('cancelled', { parts: [part('p', 30)] }))
  })

  it('are not claimed back once they are forfeited, whether the lot is closed before or after', () => {
    const lost = released('cancelled', { parts: [part('q', 5)], lost: [part('p', 30)] })
    given(...over, lost)
      .when(refund)
      .decides({ ...reversed('r', [], 0) })
    const expired = [granted('p', 100, day(9)), held('t', part('p', 30))]
    given(...expired, released('cancelled', { lost: [part('p', 30)] }), closed('p', 70, 'expired'))
      .when(refund)
      .decides(reversed('r', [], 0))
  })

  it('are kept where the claim of a refund took others in their place', () => {
    const owing = [granted('p', 100), held('t', part('p', 30)), reversed('r1', [part('p', 70)], 30), closed('p', 0)]
    given(...owing)
      .when(cancel)
      .decides(released('cancelled', { renewed: 30 }), repaid(part('returned-t', 30)))
    given(granted('p', 100), held('t', part('p', 30)), closed('p', 70), reversed('r1', [], 20))
      .when(cancel)
      .decides(released('cancelled', { renewed: 20, lost: [part('p', 10)] }), repaid(part('returned-t', 20)))
  })
})

describe('credits of a renewed lot', () => {
  const renewed: readonly CreditAccountEvent[] = [
    granted('p', 40),
    held('first', part('p', 40)),
    closed('p', 0),
    {
      type: 'CreditsReleased',
      data: {
        userId,
        holdId: 'first',
        reason: 'not delivered',
        parts: [],
        renewed: { lotId: 'returned-first', amount: 40, expiresAt: day(9) },
        at: day(1),
      },
    },
    held('t', part('returned-first', 30)),
  ]

  it('keep the date of the first renewal, whoever ends the task', () => {
    const lost = [part('returned-first', 30)]
    for (const command of [cancel, fail] satisfies CreditAccountCommand[]) {
      given(...renewed)
        .when(command)
        .decides(released(command.reason, { lost }))
      given(...renewed, closed('returned-first', 10, 'expired'))
        .when(command)
        .decides(released(command.reason, { lost }))
    }
  })

  it('return to the renewed lot before that date', () => {
    const valid = renewed.map((event) =>
      event.type === 'CreditsReleased'
        ? { ...event, data: { ...event.data, renewed: { ...event.data.renewed!, expiresAt: day(11) } } }
        : event,
    )
    given(...valid)
      .when(fail)
      .decides(released('not delivered', { parts: [part('returned-first', 30)] }))
  })
})

describe('claiming back', () => {
  it('never claims fewer than no credits of a lot whose claimed credits were returned and forfeited', () => {
    const claimed = [granted('f', 10), granted('p', 100), held('t', part('p', 30))]
    const back = released('not delivered', { parts: [part('p', 30)] })
    given(...claimed, reversed('r1', [part('p', 70), part('f', 10)], 0), back, closed('p', 30))
      .when({ ...refund, amount: 20 })
      .decides(reversed('r', [], 0))
  })
})
