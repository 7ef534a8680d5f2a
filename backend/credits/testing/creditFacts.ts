import type { CreditAccountCommand } from '../commands.ts'
import type { CreditAccountEvent, LotPart } from '../events.ts'

// Facts and commands of one account, on 10 January.

export const userId = 'user'
export const day = (n: number) => `2026-01-${String(n).padStart(2, '0')}T00:00:00.000Z`
export const at = day(10)

export const granted = (lotId: string, amount: number, expiresAt: string | null = null): CreditAccountEvent => ({
  type: 'CreditLotGranted',
  data: { userId, lotId, source: 'free', amount, expiresAt, at: day(1) },
})
export const held = (holdId: string, ...parts: LotPart[]): CreditAccountEvent => ({
  type: 'CreditsHeld',
  data: { userId, holdId, parts, at },
})
export const captured = (holdId: string): CreditAccountEvent => ({
  type: 'CreditsCaptured',
  data: { userId, holdId, at },
})
const renewalExpiresAt = '2026-02-09T00:00:00.000Z'
export const released = (holdId: string, parts: LotPart[], renewedAmount = 0): CreditAccountEvent => ({
  type: 'CreditsReleased',
  data: {
    userId,
    holdId,
    reason: 'not delivered',
    parts,
    renewed:
      renewedAmount > 0 ? { lotId: `returned-${holdId}`, amount: renewedAmount, expiresAt: renewalExpiresAt } : null,
    at,
  },
})
export const part = (lotId: string, amount: number): LotPart => ({ lotId, amount })
export const hold = (holdId: string, amount: number, openLimit = 2): CreditAccountCommand => ({
  type: 'HoldCredits',
  userId,
  holdId,
  amount,
  openLimit,
  at,
})
export const capture = (holdId: string): CreditAccountCommand => ({ type: 'CaptureHold', userId, holdId, at })
export const release = (holdId: string): CreditAccountCommand => ({
  type: 'ReleaseHold',
  userId,
  holdId,
  reason: 'not delivered',
  byOwner: false,
  renewalExpiresAt,
  at,
})
export const grant = (lotId: string, amount: number): CreditAccountCommand => ({
  type: 'GrantLot',
  userId,
  lotId,
  source: 'free',
  amount,
  expiresAt: null,
  at: day(1),
})

export const closed = (lotId: string, amount: number, reason: 'expired' | 'subscription_ended' = 'expired') =>
  ({ type: 'CreditLotClosed', data: { userId, lotId, amount, reason, at } }) as const
export const plan = (lotId: string, amount: number): CreditAccountEvent => ({
  type: 'CreditLotGranted',
  data: { userId, lotId, source: 'subscription', amount, expiresAt: null, reference: lotId, at: day(1) },
})
