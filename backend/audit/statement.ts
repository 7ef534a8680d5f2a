import type { CreditAccountEvent } from '../credits/events.ts'
import type { EventStore, Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import { AccountBook, type Lot } from './accountBook.ts'
import { readAccount } from './readLedger.ts'

/** An account at an instant, and its movements in a period. Amounts are whole credits; the balance is net of debt. */
export type Statement = NonNullable<Awaited<ReturnType<typeof statementOf>>>

type Movement = ReturnType<typeof movementOf> & { readonly amount: number; readonly balance: number }

interface Period {
  readonly userId: string
  readonly from: string | undefined
  readonly to: string | undefined
  readonly at: string | undefined
  readonly now: string
}

/** Reads an account's statement; `from` and `to` are inclusive. Returns undefined if the account does not exist. */
export async function statementOf(store: EventStore, period: Period) {
  const at = period.at ?? period.to ?? period.now
  const to = period.to ?? at
  const movements: Movement[] = []
  const book = new AccountBook()
  const later = new AccountBook()
  let exists = false
  for await (const event of readAccount(store, period.userId)) {
    exists = true
    const before = balanceOf(later)
    const held = 'holdId' in event.data ? (later.holds.get(event.data.holdId)?.balance ?? 0) : 0
    later.post(event)
    if (event.data.at <= at) book.post(event)
    if (event.data.at > to || (period.from !== undefined && event.data.at < period.from)) continue
    const balance = balanceOf(later)
    movements.push({ ...movementOf(event, held), amount: balance - before, balance })
  }
  if (!exists) return undefined
  const lots = [...book.lots].map(([lotId, lot]) => stated(lotId, lot, at))
  const open = lots.filter(({ state }) => state === 'open').reduce((sum, { left }) => sum + left, 0)
  const owed = -book.total('owed')
  return {
    userId: period.userId,
    at,
    spendable: open - owed,
    held: book.sums().held,
    owed,
    lots,
    from: period.from ?? null,
    to,
    movements,
  }
}

/** Returns the balance as the credit history shows it: all lots that are not closed, minus the debt. */
const balanceOf = (book: AccountBook) => book.sums().left + book.total('owed')

function stated(lotId: string, lot: Lot, at: string) {
  const { source, reference, granted, balance: left, expiresAt, closed } = lot
  const state = closed ? 'closed' : expiresAt !== null && expiresAt <= at ? 'expired' : 'open'
  return { lotId, source, reference, granted, left, expiresAt, state }
}

const KINDS: Readonly<Record<CreditAccountEvent['type'], string>> = {
  CreditLotGranted: 'grant',
  CreditsHeld: 'hold',
  SpendersSet: 'team',
  CreditsCaptured: 'spend',
  CreditsReleased: 'release',
  CreditLotClosed: 'forfeit',
  CreditsReversed: 'reversal',
  CreditsRestored: 'restoration',
  CreditDebtRepaid: 'repayment',
  CreditsWithdrawn: 'withdrawal',
}

export function movementOf(event: Stored<CreditAccountEvent>, held: number) {
  return {
    at: event.data.at,
    revision: event.revision,
    eventId: event.id,
    kind: KINDS[event.type],
    reason: reasonOf(event, held),
    actor: String(event.meta.actor ?? ''),
    taskId: 'holdId' in event.data ? event.data.holdId : null,
    /** Credits by lot. */
    lots: lotsOf(event),
  }
}

function reasonOf(event: CreditAccountEvent, held: number): string {
  switch (event.type) {
    case 'CreditLotGranted': {
      const { source, reason, reference } = event.data
      return reason ?? (reference ? `${source} ${reference}` : source)
    }
    case 'CreditsHeld':
      return event.data.spentBy ? `video of the member ${event.data.spentBy}` : 'video'
    case 'SpendersSet':
      return `${event.data.spenders.length} members may spend`
    case 'CreditsCaptured':
      return `video delivered, ${held} held credits spent`
    case 'CreditsRestored':
      return 'dispute won'
    case 'CreditDebtRepaid':
      return 'owed since a reversal'
    case 'CreditsReversed':
      return event.data.debt > 0 ? `${event.data.reason}, ${event.data.debt} owed` : event.data.reason
    case 'CreditsReleased': {
      const { reason, forfeited = [] } = event.data
      const lost = forfeited.map(({ lotId, amount }) => `${lotId}: ${amount}`).join(', ')
      return lost ? `${reason}, forfeited ${lost}` : reason
    }
    default:
      return event.data.reason
  }
}

function lotsOf({ type, data }: CreditAccountEvent): string {
  const parts = 'parts' in data ? [...data.parts] : []
  if (type === 'CreditsReleased' && data.renewed) parts.push(data.renewed)
  if (type === 'CreditLotGranted' || type === 'CreditLotClosed') parts.push(data)
  if (type === 'CreditsRestored') parts.push({ ...data, lotId: data.newLotId ?? data.lotId })
  return parts.map(({ lotId, amount }) => `${lotId}: ${amount}`).join(', ')
}
