import { defineEntity, p } from '@mikro-orm/core'
import { CREDIT_ACCOUNT, type CreditAccountEvent } from '#backend/credits/events.ts'
import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { derivedId, eventHash } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { SUBSCRIPTION, type SubscriptionEvent } from '#backend/subscriptions/events.ts'
import type { Projection } from '../engine/projection.ts'

/**
 * The last event of each chained stream and its hash, as it was when it was first read. An event's hash stands in the one
 * after it; of the last one nothing else would remember it.
 */
export interface ChainHeadRow {
  id: string
  stream: string
  revision: number
  event_id: string
  hash: string
}

export const ChainHeadTable = defineEntity({
  name: 'ChainHeadRow',
  tableName: 'chain_head',
  properties: {
    id: p.uuid().primary(),
    stream: p.text(),
    revision: p.integer(),
    event_id: p.uuid(),
    hash: p.text(),
  },
})

type Chained = CreditAccountEvent | SubscriptionEvent

/**
 * An event as it was stored is more than its type and data: the hash is made of all of it. What does not carry the hash
 * remembered here is no successor: the row stays at the last event that is vouched for.
 */
const noted = (row: ChainHeadRow | undefined, stored: Stored): ChainHeadRow | undefined => {
  const { stream, revision, id } = stored
  const follows = row ? revision === row.revision + 1 && stored.meta.previousHash === row.hash : revision === 0
  if (!follows) return row
  return { id: derivedId('chain', stream), stream, revision, event_id: id, hash: eventHash(stored) }
}

export const chainHeads: Projection<Chained, ChainHeadRow> = {
  name: 'chainHeads',
  version: 1,
  table: ChainHeadTable,
  categories: [CREDIT_ACCOUNT, SUBSCRIPTION],
  row: (event) => derivedId('chain', event.stream),
  on: {
    CreditLotGranted: noted,
    CreditsHeld: noted,
    CreditsCaptured: noted,
    CreditsReleased: noted,
    CreditLotClosed: noted,
    CreditsReversed: noted,
    CreditDebtRepaid: noted,
    CreditsWithdrawn: noted,
    SubscriptionRequested: noted,
    SubscriptionScheduled: noted,
    SubscriptionActivated: noted,
    SubscriptionPaid: noted,
    SubscriptionSaleMismatched: noted,
    SubscriptionPaymentFailed: noted,
    SubscriptionSuspended: noted,
    SubscriptionResumed: noted,
    SubscriptionCancelled: noted,
    SubscriptionPaused: noted,
    SubscriptionReactivated: noted,
    SubscriptionEnded: noted,
    SubscriptionClosed: noted,
    SubscriptionSaleReversed: noted,
  },
}
