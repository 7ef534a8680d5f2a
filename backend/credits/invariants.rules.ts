import type { Decision } from '../kernel/eventsourcing/pure/decider.ts'
import type { CreditAccountCommand } from './commands.ts'
import type { CreditAccountEvent, KeyLimits, LotPart } from './events.ts'
import { limitsOf, passedLimit } from './keySpending.rules.ts'
import { type CreditAccount, takenBy, total } from './lots.rules.ts'

type CreditDecision = Decision<CreditAccount, CreditAccountCommand, CreditAccountEvent>

/**
 * Returns what a decision breaks that always holds: credits neither appear nor vanish beyond what its events say, no
 * amount is negative, no more is claimed back of a lot than it granted, and a command gets the amount that it asked for.
 */
export function faultOf({ command, before, events, after }: CreditDecision): string | undefined {
  const change = worth(after) - worth(before)
  const stated = events.reduce((sum, event) => sum + statedChange(event, before), 0)
  if (change !== stated) return `changes the account by ${change} credits, and says ${stated}`
  return faultOfAccount(after) ?? faultOfAmounts(command, events, after) ?? faultOfKeys(events, after)
}

/** Credits that the account holds, in lots or in holds, less its debt. */
const worth = ({ lots, holds, debt }: CreditAccount) =>
  lots.reduce((sum, { left }) => sum + left, 0) + holds.reduce((sum, { parts }) => sum + total(parts), 0) - debt

/** Returns by how much an event says that the account changes. */
function statedChange({ type, data }: CreditAccountEvent, { holds }: CreditAccount): number {
  switch (type) {
    case 'CreditLotGranted':
    case 'CreditsRestored':
      return data.amount
    case 'CreditLotClosed':
      return -data.amount
    case 'CreditsCaptured':
      return -total(holds.find(({ id }) => id === data.holdId)?.parts ?? [])
    case 'CreditsReleased':
      return -total(data.forfeited ?? [])
    case 'CreditsReversed':
      return -total(data.parts) - data.debt
    case 'CreditsWithdrawn':
      return -total(data.parts)
    case 'CreditsHeld':
    case 'SpendersSet':
    case 'CreditDebtRepaid':
      return 0
  }
}

const isAmount = (amount: number) => Number.isSafeInteger(amount) && amount >= 0

function faultOfAccount({ lots, closed, holds, debt }: CreditAccount): string | undefined {
  if (!isAmount(debt)) return `leaves a debt of ${debt}`
  for (const { id, left, forfeited, reversed, granted } of [...lots, ...closed]) {
    if (![left, forfeited, reversed].every(isAmount)) return `leaves ${left}, ${forfeited}, ${reversed} in lot ${id}`
    if (reversed > granted) return `claims ${reversed} of the ${granted} credits of lot ${id}`
  }
  const wrong = holds.find(({ parts }) => !parts.every(isPart))
  return wrong && `holds a part without credits for ${wrong.id}`
}

/** Keys and members hold and spend no more than their limits at each hold, and get back no more than they held. */
function faultOfKeys([event]: readonly CreditAccountEvent[], { keys, team }: CreditAccount): string | undefined {
  const wrong = keys.find(({ ofDay, ofMonth }) => !isAmount(ofDay) || !isAmount(ofMonth) || ofDay > ofMonth)
  if (wrong) return `leaves ${wrong.ofDay} and ${wrong.ofMonth} spent by the key ${wrong.id}`
  if (event?.type !== 'CreditsHeld') return undefined
  const { key, spentBy } = event.data
  const member = team.spenders.find(({ id }) => id === spentBy)
  if (spentBy && !member) return `lets a stranger spend, ${spentBy}`
  const passes = (limits: KeyLimits) => {
    const spending = keys.find(({ id }) => id === limits.id)
    return !spending || passedLimit(spending, limits)
  }
  if (member && passes(limitsOf(member))) return `passes the limit of the member ${spentBy}`
  return key && passes(key) ? `passes the limit of the key ${key.id}` : undefined
}

const isPart = ({ amount }: LotPart) => isAmount(amount) && amount > 0

/** Compares what a command asks for with what its events move. */
function faultOfAmounts(
  command: CreditAccountCommand,
  [event]: readonly CreditAccountEvent[],
  { lots, closed }: CreditAccount,
): string | undefined {
  switch (event?.type) {
    case 'CreditLotGranted':
    case 'CreditsHeld':
    case 'CreditsWithdrawn': {
      const [{ data }, { amount }] = [event, command as CreditAccountCommand<'GrantLot'>]
      const moved = 'parts' in data ? total(data.parts) : data.amount
      return moved === amount ? undefined : `moves ${moved} of ${amount} credits`
    }
    case 'SpendersSet': {
      const { revision, spenders } = command as CreditAccountCommand<'SetSpenders'>
      const isAsked =
        JSON.stringify([revision, spenders]) === JSON.stringify([event.data.revision, event.data.spenders])
      return isAsked ? undefined : 'lets others spend than was asked'
    }
    case 'CreditsReversed': {
      const [{ data }, { amount }] = [event, command as CreditAccountCommand<'ReverseLot'>]
      const claimed = total(data.parts) + data.debt
      return amount !== undefined && claimed > amount ? `claims ${claimed} of ${amount} credits` : undefined
    }
    case 'CreditsRestored': {
      const [{ data }, { amount, stillClaimed }] = [event, command as CreditAccountCommand<'RestoreLot'>]
      if (data.amount > amount) return `gives back ${data.amount} of ${amount} credits`
      const isTooFew = [...lots, ...closed].some(
        (lot) => lot.id === data.lotId && lot.reversed < takenBy(lot, stillClaimed),
      )
      return isTooFew ? `gives back credits that others claim: ${data.amount}` : undefined
    }
    default:
      return undefined
  }
}
