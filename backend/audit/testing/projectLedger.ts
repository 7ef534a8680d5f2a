import { creditCodes } from '#projections/codes/creditCode.ts'
import { openRedemptions } from '#projections/codes/openRedemption.ts'
import { chainHeads } from '#projections/credits/chainHead.ts'
import { creditBalances } from '#projections/credits/creditBalance.ts'
import { creditEntries } from '#projections/credits/creditEntry.ts'
import { creditFlows } from '#projections/credits/creditFlow.ts'
import { openHolds } from '#projections/credits/openHold.ts'
import { deskActions } from '#projections/desk/deskAction.ts'
import type { AnyProjection } from '#projections/engine/projection.ts'
import { tableName } from '#projections/engine/readModel.ts'
import { currentSubscriptions } from '#projections/subscriptions/currentSubscription.ts'
import { invoices } from '#projections/subscriptions/invoice.ts'
import { invoiceDocuments } from '#projections/subscriptions/invoiceDocument.ts'
import { lateRenders } from '#projections/tasks/lateRender.ts'
import { openTasks } from '#projections/tasks/openTask.ts'
import { taskOutcomes } from '#projections/tasks/taskOutcome.ts'
import { videoTasks } from '#projections/tasks/videoTask.ts'
import { openTeamChanges } from '#projections/teams/openTeamChange.ts'
import { teamRosters } from '#projections/teams/teamRoster.ts'
import { projectLog } from '#projections/testing/projectLog.ts'
import type { EventStore } from '../../kernel/eventsourcing/eventStore.port.ts'
import type { Database } from '../../kernel/postgres/orm.ts'

const AUDITED: readonly AnyProjection[] = [
  creditBalances,
  creditEntries,
  openHolds,
  creditFlows,
  currentSubscriptions,
  invoices,
  creditCodes,
  openRedemptions,
  deskActions,
  invoiceDocuments,
  videoTasks,
  taskOutcomes,
  lateRenders,
  openTasks,
  teamRosters,
  openTeamChanges,
  chainHeads,
]

/** Tables of the read models that an audit compares, and of their checkpoints. */
export const AUDITED_TABLES: readonly string[] = ['projection_checkpoint', ...AUDITED.map(tableName)]

/** Brings the read models that an audit checks up to the head of the log. */
export const projectLedger = (store: EventStore, database: Database) => projectLog(AUDITED, { store, database })
