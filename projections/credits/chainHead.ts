import { defineEntity, p } from '@mikro-orm/core'
import { CODE, CODE_EVENTS, type CodeEvent } from '#backend/codes/events.ts'
import { CREDIT_ACCOUNT, CREDIT_ACCOUNT_EVENTS, type CreditAccountEvent } from '#backend/credits/events.ts'
import { DESK_ACTION, DESK_ACTION_EVENTS, type DeskActionEvent } from '#backend/desk/events.ts'
import { INSTALLATION, INSTALLATION_EVENTS, type InstallationEvent } from '#backend/installation/events.ts'
import { INVOICE_BOOK, INVOICE_BOOK_EVENTS, type InvoiceEvent } from '#backend/invoices/events.ts'
import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { derivedId, eventHash } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { OPERATOR_ROLL, OPERATOR_ROLL_EVENTS, type OperatorRollEvent } from '#backend/operators/roll/events.ts'
import { SUBSCRIPTION, SUBSCRIPTION_EVENTS, type SubscriptionEvent } from '#backend/subscriptions/events.ts'
import { VIDEO_TASK, VIDEO_TASK_EVENTS, type VideoTaskEvent } from '#backend/tasks/events.ts'
import { TEAM, TEAM_EVENTS, type TeamEvent } from '#backend/teams/events.ts'
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

type Chained =
  | CodeEvent
  | CreditAccountEvent
  | DeskActionEvent
  | InstallationEvent
  | SubscriptionEvent
  | VideoTaskEvent
  | InvoiceEvent
  | OperatorRollEvent
  | TeamEvent

/** Advances the head to an event that continues the chain. Any other event leaves the row unchanged. */
const advanced = (row: ChainHeadRow | undefined, _: Chained, stored: Stored): ChainHeadRow | undefined => {
  const { revision, meta } = stored
  const follows = row ? revision === row.revision + 1 && meta.previousHash === row.hash : revision === 0
  if (!follows) return row
  return headOf(stored, eventHash(stored))
}

/** Returns the row of a stream whose last event has the given hash. */
export const headOf = ({ stream, revision, id }: Stored, hash: string): ChainHeadRow => ({
  id: derivedId('chain', stream),
  stream,
  revision,
  event_id: id,
  hash,
})

export const chainHeads: Projection<Chained, ChainHeadRow> = {
  name: 'chainHeads',
  version: 4,
  table: ChainHeadTable,
  categories: [
    CODE,
    CREDIT_ACCOUNT,
    DESK_ACTION,
    INSTALLATION,
    SUBSCRIPTION,
    VIDEO_TASK,
    INVOICE_BOOK,
    OPERATOR_ROLL,
    TEAM,
  ],
  schemas: {
    ...CODE_EVENTS,
    ...CREDIT_ACCOUNT_EVENTS,
    ...DESK_ACTION_EVENTS,
    ...INSTALLATION_EVENTS,
    ...SUBSCRIPTION_EVENTS,
    ...VIDEO_TASK_EVENTS,
    ...INVOICE_BOOK_EVENTS,
    ...OPERATOR_ROLL_EVENTS,
    ...TEAM_EVENTS,
  },
  row: (event) => derivedId('chain', event.stream),
  on: {
    CodeIssued: advanced,
    CodeRedeemed: advanced,
    CodeVoided: advanced,
    CreditLotGranted: advanced,
    CreditsHeld: advanced,
    SpendersSet: advanced,
    CreditsCaptured: advanced,
    CreditsReleased: advanced,
    CreditLotClosed: advanced,
    CreditsReversed: advanced,
    CreditsRestored: advanced,
    CreditDebtRepaid: advanced,
    CreditsWithdrawn: advanced,
    ActionAsked: advanced,
    ActionApproved: advanced,
    ActionRefused: advanced,
    ActionDone: advanced,
    ActionFailed: advanced,
    OperatorInvited: advanced,
    OperatorJoined: advanced,
    OperatorRoleChanged: advanced,
    OperatorRemoved: advanced,
    OperatorKeyAdded: advanced,
    OperatorKeyRemoved: advanced,
    InstallationChanged: advanced,
    SubscriptionRequested: advanced,
    SubscriptionScheduled: advanced,
    SubscriptionActivated: advanced,
    SubscriptionPaid: advanced,
    SubscriptionRefundProposed: advanced,
    SubscriptionWithdrawn: advanced,
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
    SubscriptionSaleDisputed: advanced,
    SubscriptionSaleRestored: advanced,
    PackRequested: advanced,
    PackPaid: advanced,
    PackLapsed: advanced,
    PackReopened: advanced,
    VideoTaskSubmitted: advanced,
    VideoTaskQueued: advanced,
    VideoRenderRequested: advanced,
    VideoTaskClaimed: advanced,
    VideoRenderPostponed: advanced,
    VideoRenderAccepted: advanced,
    VideoRenderFound: advanced,
    VideoRenderStarted: advanced,
    VideoCancelRequested: advanced,
    VideoCostReported: advanced,
    VideoDownloadStarted: advanced,
    VideoTaskSucceeded: advanced,
    VideoTaskFailed: advanced,
    VideoTaskAbandoned: advanced,
    VideoTaskRecovered: advanced,
    VideoRecoveryEnded: advanced,
    VideoVisibilitySet: advanced,
    VideoTaskDeleted: advanced,
    InvoiceIssued: advanced,
    CreditNoteIssued: advanced,
    TeamCreated: advanced,
    MemberInvited: advanced,
    InvitationWithdrawn: advanced,
    MemberJoined: advanced,
    MemberLimitSet: advanced,
    MemberRemoved: advanced,
    TeamClosed: advanced,
  },
}

/** Yields the recorded head of every hash-chained stream. */
export async function* readChainHeads(client: Queries): AsyncGenerator<ChainHeadRow> {
  for await (const { row } of readRows<ChainHeadRow>(client, 'chain_head')) yield row
}

const isChained = (stream: string) => chainHeads.categories.some((category) => stream.startsWith(`${category}-`))

/** Returns the recorded head of a hash-chained stream; undefined for other streams and before the first event. */
export async function readChainHead(
  client: { query(statement: { name: string; text: string; values: string[] }): Promise<{ rows: unknown[] }> },
  stream: string,
): Promise<Pick<ChainHeadRow, 'revision' | 'hash'> | undefined> {
  if (!isChained(stream)) return undefined
  const { rows } = await client.query({
    name: 'read_chain_head',
    text: 'select revision, hash from chain_head where id = $1',
    values: [derivedId('chain', stream)],
  })
  return rows[0] as ChainHeadRow | undefined
}
