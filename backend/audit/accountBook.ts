import type { CreditAccountEvent, KeyLimits, LotPart, LotSource } from '../credits/events.ts'

/** An account in double-entry bookkeeping. */
interface Account {
  readonly name: string
  balance: number
}

export interface Lot extends Account {
  readonly source: LotSource
  /** Id of the sale that paid for the lot, or of the hold that returned it. */
  readonly reference: string | null
  readonly granted: number
  readonly expiresAt: string | null
  closed: boolean
  /** Credits reversed so far. */
  reversed: number
}

export interface Hold extends Account {
  readonly parts: readonly LotPart[]
  /** The periods of the API key, and of the member, that held the credits. */
  readonly periods?: readonly string[]
}

/** An amount booked to an account; positive amounts are inflows. */
type Posting = readonly [account: Account, amount: number]

type DataOf<T extends CreditAccountEvent['type']> = Extract<CreditAccountEvent, { type: T }>['data']

/** Accounts other than lots and holds. The balances of `issued` and `owed` are negative. */
export const TOTALS = ['issued', 'spent', 'forfeited', 'claimed back', 'withdrawn', 'owed'] as const
type Total = (typeof TOTALS)[number]

const total = (parts: readonly LotPart[]): number => {
  let sum = 0
  for (const { amount } of parts) sum += amount
  return sum
}
const isCount = (amount: number) => Number.isSafeInteger(amount) && amount > 0

/**
 * Double-entry books of one credit account, built from its events independently of the decider. Amounts are whole
 * credits; the balances always sum to zero.
 */
export class AccountBook {
  readonly lots = new Map<string, Lot>()
  /** Open holds by id. */
  readonly holds = new Map<string, Hold>()
  readonly #totals: Readonly<Record<Total, Account>>
  readonly #settled = new Set<string>()
  /** Reversals and withdrawals booked so far, to detect duplicates. */
  readonly #corrected = new Set<string>()
  /** Members of the owner's team, with their limits for each month. */
  #spenders = new Map<string, number | null>()
  /** Credits that API keys and members have held and spent, by their ids and by day or month. */
  readonly spentByKeys = new Map<string, number>()
  /** The last day that has begun for each of them. */
  readonly #daysOfKeys = new Map<string, string>()

  constructor() {
    this.#totals = Object.fromEntries(TOTALS.map((name) => [name, { name, balance: 0 }])) as Record<Total, Account>
  }

  total(name: Total): number {
    return this.#totals[name].balance
  }

  /** Returns the total credits in lots (`left`) and in open holds (`held`). */
  sums(): { left: number; held: number } {
    const sum = (accounts: Iterable<Account>) => [...accounts].reduce((sum, { balance }) => sum + balance, 0)
    return { left: sum(this.lots.values()), held: sum(this.holds.values()) }
  }

  /** Posts an event to the account, even if it is invalid. Returns one message per violation. */
  post(event: CreditAccountEvent): string[] {
    const wrong: string[] = []
    const postings = this.#postings(event, wrong)
    let sum = 0
    for (const [account, amount] of postings) {
      sum += amount
      account.balance += amount
    }
    if (sum !== 0) wrong.push(`Its postings sum to ${sum}, not to zero.`)
    const { issued, owed } = this.#totals
    for (const [account] of postings)
      if (account.balance < 0 && account !== issued && account !== owed)
        wrong.push(`It leaves ${account.balance} in ${account.name}.`)
    if (owed.balance > 0) wrong.push(`It repays ${owed.balance} more than was owed.`)
    return wrong
  }

  /** Returns the postings of an event and updates lots and holds. Adds faults to `wrong`. */
  #postings(event: CreditAccountEvent, wrong: string[]): Posting[] {
    const { issued, spent, withdrawn, owed } = this.#totals
    switch (event.type) {
      case 'CreditLotGranted': {
        const { lotId, source, amount, expiresAt, reference = null } = event.data
        if (!isCount(amount)) wrong.push(`It grants ${amount} credits.`)
        return [[issued, -amount], this.#newLot(lotId, { source, amount, expiresAt, reference }, wrong)]
      }
      case 'CreditsHeld': {
        const { holdId, parts, key, spentBy, at } = event.data
        if (this.holds.has(holdId) || this.#settled.has(holdId)) wrong.push(`Credits were held for ${holdId} before.`)
        const periods = key ? this.#spend('API key', key, total(parts), at, wrong) : []
        if (spentBy !== undefined) {
          const perMonth = this.#spenders.get(spentBy)
          if (perMonth === undefined) wrong.push(`${spentBy} was not in the team of the account's owner.`)
          const limits = { id: spentBy, ...(typeof perMonth === 'number' && { perMonth }) }
          periods.push(...this.#spend('member', limits, total(parts), at, wrong))
        }
        const hold = { name: `hold ${holdId}`, balance: 0, parts, ...(periods.length > 0 && { periods }) }
        this.holds.set(holdId, hold)
        return [...this.#lotPostings(parts, -1, at, wrong), [hold, total(parts)]]
      }
      case 'SpendersSet':
        this.#spenders = new Map(event.data.spenders.map(({ id, perMonth }) => [id, perMonth]))
        return []
      case 'CreditsCaptured': {
        const hold = this.#settle(event.data.holdId, wrong)
        const held = hold.balance
        return [
          [hold, -held],
          [spent, held],
        ]
      }
      case 'CreditsReleased':
        return this.#release(event.data, wrong)
      case 'CreditLotClosed':
        return this.#close(event.data, wrong)
      case 'CreditsReversed':
        return this.#reverse(event.data, wrong)
      case 'CreditsRestored':
        return this.#restore(event.data, wrong)
      case 'CreditDebtRepaid': {
        const { parts, at } = event.data
        return [...this.#lotPostings(parts, -1, at, wrong), [owed, total(parts)]]
      }
      case 'CreditsWithdrawn': {
        const { adjustmentId, parts, at } = event.data
        this.#correct(`The adjustment ${adjustmentId}`, wrong)
        return [...this.#lotPostings(parts, -1, at, wrong), [withdrawn, total(parts)]]
      }
      default:
        throw new Error(`unknown credit account event ${(event as { type: string }).type}`)
    }
  }

  #release(data: DataOf<'CreditsReleased'>, wrong: string[]): Posting[] {
    const { forfeited } = this.#totals
    const { holdId, parts, renewed, forfeited: lost = [], at } = data
    const hold = this.#settle(holdId, wrong)
    for (const period of hold.periods ?? [])
      this.spentByKeys.set(period, (this.spentByKeys.get(period) ?? 0) - hold.balance)
    for (const { lotId, amount } of parts)
      if (!hold.parts.some((part) => part.lotId === lotId && part.amount === amount))
        wrong.push(`It returns ${amount} to the lot ${lotId}, from which it did not hold them.`)
    for (const { lotId, amount } of lost) {
      if (!hold.parts.some((part) => part.lotId === lotId && part.amount >= amount) || !isCount(amount))
        wrong.push(`It forfeits ${amount} of the lot ${lotId}, from which it did not hold them.`)
      if (this.#isOpen(lotId, at)) wrong.push(`It forfeits credits of the open lot ${lotId}.`)
    }
    const back = this.#lotPostings(parts, 1, at, wrong)
    if (renewed) back.push(this.#newLot(renewed.lotId, { ...renewed, source: 'returned', reference: holdId }, wrong))
    return [[hold, -hold.balance], [forfeited, total(lost)], ...back]
  }

  /** Books credits to the day and month of a key or a member. More than the limits that the hold states is a fault. */
  #spend(who: string, { id, perDay, perMonth }: KeyLimits, amount: number, at: string, wrong: string[]): string[] {
    const [known = '', day] = [this.#daysOfKeys.get(id), at.slice(0, 10)]
    const today = [known, day].sort().at(-1) ?? day
    this.#daysOfKeys.set(id, today)
    const limits = [
      [today, perDay],
      [today.slice(0, 7), perMonth],
    ] as const
    return limits.map(([time, limit]) => {
      const period = `${id} ${time}`
      const spent = (this.spentByKeys.get(period) ?? 0) + amount
      this.spentByKeys.set(period, spent)
      if (limit !== undefined && spent > limit)
        wrong.push(`The ${who} ${id} spends ${spent} of ${limit} credits in ${time}.`)
      return period
    })
  }

  #close(data: DataOf<'CreditLotClosed'>, wrong: string[]): Posting[] {
    const { forfeited } = this.#totals
    const { lotId, amount, at } = data
    const lot = this.lots.get(lotId)
    if (!lot || lot.closed) wrong.push(`There is no open lot ${lotId}.`)
    if (lot && lot.balance !== amount)
      wrong.push(`It forfeits ${amount} credits of the lot ${lotId}, in which ${lot.balance} are left.`)
    if (data.reason === 'expired' && lot && (lot.expiresAt === null || lot.expiresAt > at))
      wrong.push(`The lot ${lotId} has not expired.`)
    if (lot) lot.closed = true
    return [
      [lot ?? missing(lotId), -amount],
      [forfeited, amount],
    ]
  }

  #reverse(data: DataOf<'CreditsReversed'>, wrong: string[]): Posting[] {
    const { owed } = this.#totals
    const { reversalId, lotId, parts, debt, at } = data
    const lot = this.lots.get(lotId)
    const claimed = total(parts) + debt
    if (!lot) wrong.push(`There is no lot ${lotId}.`)
    else {
      lot.reversed += claimed
      if (lot.reversed > lot.granted) wrong.push(`It claims more of the lot ${lotId} than was granted.`)
    }
    if (debt !== 0 && !isCount(debt)) wrong.push(`It owes ${debt} credits.`)
    this.#correct(`The reversal ${reversalId}`, wrong)
    const taken = this.#lotPostings(parts, -1, at, wrong)
    return [...taken, [this.#totals['claimed back'], claimed], [owed, -debt]]
  }

  #restore(data: DataOf<'CreditsRestored'>, wrong: string[]): Posting[] {
    const { restorationId, lotId, amount, newLotId, at } = data
    const lot = this.lots.get(lotId)
    if (!isCount(amount)) wrong.push(`It gives ${amount} credits back.`)
    if (!lot) wrong.push(`There is no lot ${lotId}.`)
    else if (lot.reversed < amount) wrong.push(`It gives back ${amount} of ${lot.reversed} credits claimed.`)
    if (lot) lot.reversed -= amount
    this.#correct(`The restoration ${restorationId}`, wrong)
    const kept = { source: 'payment', amount, expiresAt: null, reference: lot?.reference ?? null } as const
    const back =
      newLotId === null ? this.#lotPostings([{ lotId, amount }], 1, at, wrong) : [this.#newLot(newLotId, kept, wrong)]
    return [[this.#totals['claimed back'], -amount], ...back]
  }

  #newLot(
    lotId: string,
    { amount, ...lot }: { source: LotSource; amount: number; expiresAt: string | null; reference: string | null },
    wrong: string[],
  ): Posting {
    const known = this.lots.get(lotId)
    if (known) wrong.push(`The lot ${lotId} was granted before.`)
    const made: Lot = known ?? { name: `lot ${lotId}`, balance: 0, granted: amount, closed: false, reversed: 0, ...lot }
    this.lots.set(lotId, made)
    return [made, amount]
  }

  /** Returns the postings of lot parts. A lot that is not open at the instant `at` is a fault. */
  #lotPostings(parts: readonly LotPart[], sign: 1 | -1, at: string, wrong: string[]): Posting[] {
    return parts.map(({ lotId, amount }) => {
      const lot = this.lots.get(lotId)
      if (!this.#isOpen(lotId, at)) wrong.push(`There is no open lot ${lotId}.`)
      if (!isCount(amount)) wrong.push(`It moves ${amount} credits of the lot ${lotId}.`)
      return [lot ?? missing(lotId), sign * amount]
    })
  }

  #isOpen(lotId: string, at: string): boolean {
    const lot = this.lots.get(lotId)
    return lot !== undefined && !lot.closed && (lot.expiresAt === null || lot.expiresAt > at)
  }

  #settle(holdId: string, wrong: string[]): Hold {
    const hold = this.holds.get(holdId)
    if (!hold) wrong.push(`No credits are held for ${holdId}.`)
    this.holds.delete(holdId)
    this.#settled.add(holdId)
    return hold ?? { name: `hold ${holdId}`, balance: 0, parts: [] }
  }

  #correct(name: string, wrong: string[]): void {
    if (this.#corrected.has(name)) wrong.push(`${name} was made before.`)
    this.#corrected.add(name)
  }
}

const missing = (lotId: string): Account => ({ name: `lot ${lotId}`, balance: 0 })
