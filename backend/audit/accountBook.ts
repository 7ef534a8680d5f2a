import type { CreditAccountEvent, LotPart, LotSource } from '../credits/events.ts'

interface Lot {
  readonly source: LotSource
  readonly reference: string | null
  readonly granted: number
  readonly expiresAt: string | null
  closed: boolean
  /** Credits claimed back so far. */
  reversed: number
}

/** An amount booked to an account of the book, above zero where it comes in. */
export type Posting = readonly [account: string, amount: number]

export const lotAccount = (lotId: string) => `lot ${lotId}`
export const holdAccount = (holdId: string) => `hold ${holdId}`

/** Accounts that are neither a lot nor a hold. `issued` and `owed` stand below zero. */
export const TOTALS = ['issued', 'spent', 'forfeited', 'claimed back', 'withdrawn', 'owed'] as const

const total = (parts: readonly LotPart[]): number => {
  let sum = 0
  for (const { amount } of parts) sum += amount
  return sum
}
const isCount = (amount: number) => Number.isSafeInteger(amount) && amount > 0

/**
 * One credit account kept by double entry, from its events alone and without the decider that made them. Amounts are whole
 * credits; all balances together are always zero.
 */
export class AccountBook {
  readonly lots = new Map<string, Lot>()
  /** Parts of each open hold. */
  readonly holds = new Map<string, readonly LotPart[]>()
  readonly #balances = new Map<string, number>()
  /** Holds that are over, reversals and withdrawals that were made. */
  readonly #done = new Set<string>()

  balance(account: string): number {
    return this.#balances.get(account) ?? 0
  }

  /** Lots together, and open holds together. */
  sums(): { left: number; held: number } {
    let [left, held] = [0, 0]
    for (const id of this.lots.keys()) left += this.balance(lotAccount(id))
    for (const id of this.holds.keys()) held += this.balance(holdAccount(id))
    return { left, held }
  }

  /** Books an event. @returns what is wrong with it, sentence by sentence; it is booked all the same */
  post(event: CreditAccountEvent): string[] {
    const wrong = this.#faults(event)
    const postings = this.postings(event)
    let sum = 0
    for (const [account, amount] of postings) {
      sum += amount
      const balance = this.balance(account) + amount
      if (balance === 0 && account.startsWith('hold ')) this.#balances.delete(account)
      else this.#balances.set(account, balance)
    }
    if (sum !== 0) wrong.push(`Its postings sum to ${sum}, not to zero.`)
    for (const [account] of postings) {
      const balance = this.balance(account)
      if (balance < 0 && account !== 'issued' && account !== 'owed') wrong.push(`It leaves ${balance} in ${account}.`)
      if (balance > 0 && account === 'owed') wrong.push(`It repays ${balance} more than was owed.`)
    }
    this.#note(event)
    if (event.type === 'CreditLotClosed' && this.balance(lotAccount(event.data.lotId)) !== 0)
      wrong.push(`It closes ${lotAccount(event.data.lotId)} and leaves credits in it.`)
    return wrong
  }

  /** Which amounts an event moves, from where to where. */
  postings(event: CreditAccountEvent): Posting[] {
    switch (event.type) {
      case 'CreditLotGranted':
        return [
          ['issued', -event.data.amount],
          [lotAccount(event.data.lotId), event.data.amount],
        ]
      case 'CreditsHeld':
        return [...fromLots(event.data.parts), [holdAccount(event.data.holdId), total(event.data.parts)]]
      case 'CreditsCaptured': {
        const held = this.balance(holdAccount(event.data.holdId))
        return [
          [holdAccount(event.data.holdId), -held],
          ['spent', held],
        ]
      }
      case 'CreditsReleased': {
        const { holdId, parts, renewed } = event.data
        const back: Posting[] = parts.map(({ lotId, amount }) => [lotAccount(lotId), amount])
        if (renewed) back.push([lotAccount(renewed.lotId), renewed.amount])
        return [[holdAccount(holdId), -this.balance(holdAccount(holdId))], ...back]
      }
      case 'CreditLotClosed':
        return [
          [lotAccount(event.data.lotId), -event.data.amount],
          ['forfeited', event.data.amount],
        ]
      case 'CreditsReversed': {
        const { parts, debt } = event.data
        return [...fromLots(parts), ['claimed back', total(parts) + debt], ['owed', -debt]]
      }
      case 'CreditDebtRepaid':
        return [...fromLots(event.data.parts), ['owed', total(event.data.parts)]]
      case 'CreditsWithdrawn':
        return [...fromLots(event.data.parts), ['withdrawn', total(event.data.parts)]]
    }
  }

  #faults(event: CreditAccountEvent): string[] {
    const { at } = event.data
    switch (event.type) {
      case 'CreditLotGranted': {
        const { lotId, amount } = event.data
        return [
          ...(this.lots.has(lotId) ? [`The lot ${lotId} was granted before.`] : []),
          ...(isCount(amount) ? [] : [`It grants ${amount} credits.`]),
        ]
      }
      case 'CreditsHeld': {
        const { holdId, parts } = event.data
        const again = this.holds.has(holdId) || this.#done.has(holdAccount(holdId))
        return [...(again ? [`Credits were held for ${holdId} before.`] : []), ...this.#partFaults(parts, at)]
      }
      case 'CreditsCaptured':
        return this.#openFaults(event.data.holdId)
      case 'CreditsReleased': {
        const { holdId, parts, renewed } = event.data
        const held = new Map(this.holds.get(holdId)?.map(({ lotId, amount }) => [lotId, amount]))
        const strange = parts.filter(({ lotId, amount }) => held.get(lotId) !== amount)
        return [
          ...this.#openFaults(holdId),
          ...strange.map(({ lotId, amount }) => `It gives ${amount} back to the lot ${lotId}, which it did not hold.`),
          ...(renewed && this.lots.has(renewed.lotId) ? [`The lot ${renewed.lotId} is there already.`] : []),
          ...this.#partFaults(parts, at),
        ]
      }
      case 'CreditLotClosed': {
        const lot = this.lots.get(event.data.lotId)
        return !lot || lot.closed ? [`There is no open lot ${event.data.lotId}.`] : []
      }
      case 'CreditsReversed': {
        const { reversalId, lotId, parts, debt } = event.data
        const lot = this.lots.get(lotId)
        const claimed = (lot?.reversed ?? 0) + total(parts) + debt
        return [
          ...(lot ? [] : [`There is no lot ${lotId}.`]),
          ...(lot && claimed > lot.granted ? [`It claims more of the lot ${lotId} than was granted.`] : []),
          ...(this.#done.has(`reversal ${reversalId}`) ? [`The reversal ${reversalId} was made before.`] : []),
          ...(debt === 0 || isCount(debt) ? [] : [`It owes ${debt} credits.`]),
          ...this.#partFaults(parts, at),
        ]
      }
      case 'CreditDebtRepaid':
        return this.#partFaults(event.data.parts, at)
      case 'CreditsWithdrawn': {
        const { adjustmentId, parts } = event.data
        const again = this.#done.has(`adjustment ${adjustmentId}`)
        return [...(again ? [`The adjustment ${adjustmentId} was made before.`] : []), ...this.#partFaults(parts, at)]
      }
    }
  }

  #openFaults = (holdId: string) => (this.holds.has(holdId) ? [] : [`No credits are held for ${holdId}.`])

  /** Credits are taken from, and given back to, lots that can be used at that instant. */
  #partFaults(parts: readonly LotPart[], at: string): string[] {
    const faults: string[] = []
    for (const { lotId, amount } of parts) {
      const lot = this.lots.get(lotId)
      const isOpen = lot && !lot.closed && (lot.expiresAt === null || lot.expiresAt > at)
      if (!isOpen) faults.push(`There is no open lot ${lotId}.`)
      if (!isCount(amount)) faults.push(`It moves ${amount} credits of the lot ${lotId}.`)
    }
    return faults
  }

  /** What later events are held against. */
  #note(event: CreditAccountEvent): void {
    switch (event.type) {
      case 'CreditLotGranted': {
        const { lotId, source, amount, expiresAt, reference = null } = event.data
        this.lots.set(lotId, { source, reference, granted: amount, expiresAt, closed: false, reversed: 0 })
        return
      }
      case 'CreditsHeld':
        this.holds.set(event.data.holdId, event.data.parts)
        return
      case 'CreditsReleased': {
        const { renewed } = event.data
        if (renewed)
          this.lots.set(renewed.lotId, {
            source: 'returned',
            reference: event.data.holdId,
            granted: renewed.amount,
            expiresAt: renewed.expiresAt,
            closed: false,
            reversed: 0,
          })
        this.#over(event.data.holdId)
        return
      }
      case 'CreditsCaptured':
        this.#over(event.data.holdId)
        return
      case 'CreditLotClosed': {
        const lot = this.lots.get(event.data.lotId)
        if (lot) lot.closed = true
        return
      }
      case 'CreditsReversed': {
        const { reversalId, lotId, parts, debt } = event.data
        const lot = this.lots.get(lotId)
        if (lot) lot.reversed += total(parts) + debt
        this.#done.add(`reversal ${reversalId}`)
        return
      }
      case 'CreditsWithdrawn':
        this.#done.add(`adjustment ${event.data.adjustmentId}`)
        return
      case 'CreditDebtRepaid':
        return
    }
  }

  #over(holdId: string): void {
    this.holds.delete(holdId)
    this.#done.add(holdAccount(holdId))
  }
}

const fromLots = (parts: readonly LotPart[]): Posting[] =>
  parts.map(({ lotId, amount }) => [lotAccount(lotId), -amount])
