import { defineEntity, p } from '@mikro-orm/core'
import { CREDIT_ACCOUNT, type CreditAccountEvent } from '#backend/credits/events.ts'
import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { derivedId, eventHash } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { SUBSCRIPTION, type SubscriptionEvent } from '#backend/subscriptions/events.ts'
import type { Projection, RowOf } from '../engine/projection.ts'
import { type Queries, readRows } from '../engine/readRows.ts'

/**
 * The last event of each hash-chained stream, and its hash when first projected. Each event carries the hash of the
 * previous one, so only this row can reveal a change to the last event.
 */
const ChainHeadTable = defineEntity({
  name: 'ChainHeadRow',
  tableName: 'chain_head',
  properties: { id: p.uuid().primary(), stream: p.text(), revision: p.integer(), event_id: p.uuid(), hash: p.text() },
})
export type ChainHeadRow = RowOf<typeof ChainHeadTable>

type Chained = CreditAccountEvent | SubscriptionEvent

/** Advances the head to an event that carries its hash. Any other event leaves the row unchanged. */
const advanced = (row: ChainHeadRow | undefined, event: Stored): ChainHeadRow | undefined => {
  const { stream, revision, id, meta } = event
  const follows = row ? revision === row.revision + 1 && meta.previousHash === row.hash : revision === 0
  if (!follows) return row
  return { id: derivedId('chain', stream), stream, revision, event_id: id, hash: eventHash(event) }
}

export const chainHeads: Projection<Chained, ChainHeadRow> = {
  name: 'chainHeads',
  version: 1,
  table: ChainHeadTable,
  categories: [CREDIT_ACCOUNT, SUBSCRIPTION],
  row: (event) => derivedId('chain', event.stream),
  on: {
    CreditLotGranted: advanced,
    CreditsHeld: advanced,
    CreditsCaptured: advanced,
    CreditsReleased: advanced,
    CreditLotClosed: advanced,
    CreditsReversed: advanced,
    CreditDebtRepaid: advanced,
    CreditsWithdrawn: advanced,
    SubscriptionRequested: advanced,
    SubscriptionScheduled: advanced,
    SubscriptionActivated: advanced,
    SubscriptionPaid: advanced,
    SubscriptionSaleMismatched: advanced,
    SubscriptionPaymentFailed: advanced,
    SubscriptionSuspended: advanced,
    SubscriptionResumed: advanced,
    SubscriptionCancelled: advanced,
    SubscriptionPaused: advanced,
    SubscriptionReactivated: advanced,
    SubscriptionEnded: advanced,
    SubscriptionClosed: advanced,
    SubscriptionSaleReversed: advanced,
  },
}

/** Yields the recorded head of every hash-chained stream. */
export async function* readChainHeads(client: Queries): AsyncGenerator<ChainHeadRow> {
  for await (const { row } of readRows<ChainHeadRow>(client, 'chain_head')) yield row
}
