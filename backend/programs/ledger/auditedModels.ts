import { type CreditCodeRow, creditCodes } from '#projections/codes/creditCode.ts'
import { type OpenRedemptionRow, openRedemptions } from '#projections/codes/openRedemption.ts'
import { type ChainHeadRow, chainHeads, headOf } from '#projections/credits/chainHead.ts'
import { type CreditBalanceRow, creditBalances } from '#projections/credits/creditBalance.ts'
import { type CreditEntryRow, creditEntries } from '#projections/credits/creditEntry.ts'
import { creditFlows } from '#projections/credits/creditFlow.ts'
import { type OpenHoldRow, openHolds } from '#projections/credits/openHold.ts'
import { type DeskActionRow, deskActions } from '#projections/desk/deskAction.ts'
import { type AnyProjection, foldEvent, rowIdOf } from '#projections/engine/projection.ts'
import { tableName } from '#projections/engine/readModel.ts'
import { type CurrentSubscriptionRow, currentSubscriptions } from '#projections/subscriptions/currentSubscription.ts'
import { type InvoiceRow, invoices } from '#projections/subscriptions/invoice.ts'
import { type InvoiceDocumentRow, invoiceDocuments } from '#projections/subscriptions/invoiceDocument.ts'
import { lateRenders } from '#projections/tasks/lateRender.ts'
import { openTasks } from '#projections/tasks/openTask.ts'
import { taskOutcomes } from '#projections/tasks/taskOutcome.ts'
import { videoTasks } from '#projections/tasks/videoTask.ts'
import { openTeamChanges } from '#projections/teams/openTeamChange.ts'
import { teamRosters } from '#projections/teams/teamRoster.ts'
import type { AuditedModel } from '../../audit/readModelProof.ts'
import { CODE } from '../../codes/events.ts'
import { CREDIT_ACCOUNT } from '../../credits/events.ts'
import { DESK_ACTION } from '../../desk/events.ts'
import { SUBSCRIPTION } from '../../subscriptions/events.ts'
import { VIDEO_TASK } from '../../tasks/events.ts'
import { TEAM } from '../../teams/events.ts'

function audited<Row extends object>(
  projection: AnyProjection,
  placeOf: (row: Row) => ReturnType<AuditedModel['placeOf']>,
): AuditedModel {
  return {
    name: projection.name,
    version: projection.version,
    table: tableName(projection),
    // Event types are unique among the audited streams.
    knows: (type) => Object.hasOwn(projection.on, type),
    rowId: (event) => rowIdOf(projection, event),
    fold: (row, event) => foldEvent(projection, row, event),
    placeOf: placeOf as AuditedModel['placeOf'],
  }
}

const ofAccount = (userId: string, revision: number | null) => ({ stream: `${CREDIT_ACCOUNT}-${userId}`, revision })
const ofCode = (codeId: string) => ({ stream: `${CODE}-${codeId}`, revision: null })
const ofTask = ({ id }: { id: string }) => ({ stream: `${VIDEO_TASK}-${id}`, revision: null })
const ofTeam = ({ id }: { id: string }) => ({ stream: `${TEAM}-${id}`, revision: null })
const ofSubscription = (userId: string) => ({ stream: `${SUBSCRIPTION}-${userId}`, revision: null })

/** Read models that the audit compares row by row. */
export const AUDITED_MODELS: readonly AuditedModel[] = [
  audited<CreditBalanceRow>(creditBalances, ({ id }) => ofAccount(id, null)),
  audited<CreditEntryRow>(creditEntries, ({ user_id, revision }) => ofAccount(user_id, revision)),
  audited<OpenHoldRow>(openHolds, ({ user_id }) => ofAccount(user_id, null)),
  // The rows name neither user nor stream.
  audited(creditFlows, () => ({ stream: null, revision: null })),
  audited<CurrentSubscriptionRow>(currentSubscriptions, ({ id }) => ofSubscription(id)),
  audited<InvoiceRow>(invoices, ({ user_id }) => ofSubscription(user_id)),
  audited<CreditCodeRow>(creditCodes, ({ id }) => ofCode(id)),
  audited<OpenRedemptionRow>(openRedemptions, ({ code_id }) => ofCode(code_id)),
  audited<DeskActionRow>(deskActions, ({ id }) => ({ stream: `${DESK_ACTION}-${id}`, revision: null })),
  audited<InvoiceDocumentRow>(invoiceDocuments, ({ user_id }) => ofSubscription(user_id)),
  ...[videoTasks, taskOutcomes, lateRenders, openTasks].map((projection) => audited(projection, ofTask)),
  ...[teamRosters, openTeamChanges].map((projection) => audited(projection, ofTeam)),
  {
    ...audited<ChainHeadRow>(chainHeads, ({ stream, revision }) => ({ stream, revision })),
    // The audit follows the chains itself and has hashed the event already.
    fold: (_, event, hash) => headOf(event, hash),
  },
]
