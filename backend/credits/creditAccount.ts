import { type Decider, Rejection } from '../eventsourcing/decider.ts'
import { GrowOnlySet } from '../eventsourcing/growOnlySet.ts'
import { CREDIT_ACCOUNT, type CreditAccountEvent, type LotPart, type LotSource } from './events.ts'

export interface Lot {
  readonly id: string
  readonly left: number
  readonly expiresAt: string | null
}

/** A user's credits: the lots they were granted in, and what is set aside for open tasks. Amounts are whole credits. */
export interface CreditAccount {
  /** In the order they were granted. */
  readonly lots: readonly Lot[]
  readonly holds: ReadonlyMap<string, readonly LotPart[]>
  /** Lots ever granted and holds ever settled: each happens once. */
  readonly granted: GrowOnlySet
  readonly settled: GrowOnlySet
}

export type CreditAccountCommand =
  | {
      readonly type: 'GrantLot'
      readonly userId: string
      readonly lotId: string
      readonly source: LotSource
      readonly amount: number
      readonly expiresAt: string | null
      readonly at: string
    }
  | {
      readonly type: 'HoldCredits'
      readonly userId: string
      readonly holdId: string
      readonly amount: number
      /** Holds that may be open at once: the tier's limit of open tasks. */
      readonly openLimit: number
      readonly at: string
    }
  | { readonly type: 'CaptureHold'; readonly userId: string; readonly holdId: string; readonly at: string }
  | {
      readonly type: 'ReleaseHold'
      readonly userId: string
      readonly holdId: string
      readonly reason: string
      readonly at: string
    }

const usable = (lot: Lot, at: string) => lot.left > 0 && (lot.expiresAt === null || lot.expiresAt > at)

/** Credits that can be spent at an instant: held ones are off, expired lots do not count. */
export const spendable = (account: CreditAccount, at: string): number =>
  account.lots.reduce((sum, lot) => sum + (usable(lot, at) ? lot.left : 0), 0)

/** Takes an amount from the lots that expire soonest; among equals, from the one granted first. */
function takeFrom(lots: readonly Lot[], amount: number, at: string): LotPart[] {
  const parts: LotPart[] = []
  let missing = amount
  const never = '~' // sorts behind every date
  for (const lot of lots.toSorted((a, b) => ((a.expiresAt ?? never) < (b.expiresAt ?? never) ? -1 : 1))) {
    if (missing === 0) break
    if (!usable(lot, at)) continue
    const taken = Math.min(lot.left, missing)
    parts.push({ lotId: lot.id, amount: taken })
    missing -= taken
  }
  return parts
}

/** Adds to the lots (or, with -1, takes away) what the parts say. */
const moved = (lots: readonly Lot[], parts: readonly LotPart[], sign: 1 | -1): readonly Lot[] =>
  lots.map((lot) => {
    const part = parts.find(({ lotId }) => lotId === lot.id)
    return part ? { ...lot, left: lot.left + sign * part.amount } : lot
  })

function evolve(account: CreditAccount, event: CreditAccountEvent): CreditAccount {
  switch (event.type) {
    case 'CreditLotGranted': {
      const { lotId, amount, expiresAt } = event.data
      const lots = [...account.lots, { id: lotId, left: amount, expiresAt }]
      return { ...account, lots, granted: account.granted.add(lotId) }
    }
    case 'CreditsHeld': {
      const { holdId, parts } = event.data
      return { ...account, lots: moved(account.lots, parts, -1), holds: new Map(account.holds).set(holdId, parts) }
    }
    case 'CreditsCaptured':
      return settledHold(account, event.data.holdId)
    case 'CreditsReleased': {
      const parts = account.holds.get(event.data.holdId) ?? []
      return { ...settledHold(account, event.data.holdId), lots: moved(account.lots, parts, 1) }
    }
  }
}

function settledHold(account: CreditAccount, holdId: string): CreditAccount {
  const holds = new Map(account.holds)
  holds.delete(holdId)
  return { ...account, holds, settled: account.settled.add(holdId) }
}

function decide(command: CreditAccountCommand, account: CreditAccount): readonly CreditAccountEvent[] {
  switch (command.type) {
    case 'GrantLot': {
      const { type: _, ...lot } = command
      return account.granted.has(lot.lotId) ? [] : [{ type: 'CreditLotGranted', data: lot }]
    }
    case 'HoldCredits':
      return hold(command, account)
    case 'CaptureHold': {
      const { userId, holdId, at } = command
      return account.holds.has(holdId) ? [{ type: 'CreditsCaptured', data: { userId, holdId, at } }] : []
    }
    case 'ReleaseHold': {
      const { userId, holdId, reason, at } = command
      return account.holds.has(holdId) ? [{ type: 'CreditsReleased', data: { userId, holdId, reason, at } }] : []
    }
  }
}

function hold(
  { userId, holdId, amount, openLimit, at }: Extract<CreditAccountCommand, { type: 'HoldCredits' }>,
  account: CreditAccount,
): readonly CreditAccountEvent[] {
  if (account.holds.has(holdId)) return []
  if (account.settled.has(holdId)) throw new Rejection('hold_settled', 'The credits of this task are settled already.')
  const balance = spendable(account, at)
  if (balance < amount)
    throw new Rejection('insufficient_credits', `This costs ${amount} credits; ${balance} are left.`, {
      required: amount,
      remaining: balance,
    })
  if (account.holds.size >= openLimit)
    throw new Rejection('queue_full', `${openLimit} tasks are open already. Wait for one to finish.`, {
      limit: openLimit,
    })
  return [{ type: 'CreditsHeld', data: { userId, holdId, parts: takeFrom(account.lots, amount, at), at } }]
}

/** The balance and the number of open tasks are decided here, together, by one append. */
export const creditAccount: Decider<CreditAccount, CreditAccountCommand, CreditAccountEvent> = {
  category: CREDIT_ACCOUNT,
  initial: { lots: [], holds: new Map(), granted: GrowOnlySet.empty, settled: GrowOnlySet.empty },
  evolve,
  decide,
  hashChained: true,
}
