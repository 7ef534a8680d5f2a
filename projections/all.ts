import { creditCodes } from './codes/creditCode.ts'
import { openRedemptions } from './codes/openRedemption.ts'
import { chainHeads } from './credits/chainHead.ts'
import { creditBalances } from './credits/creditBalance.ts'
import { creditEntries } from './credits/creditEntry.ts'
import { creditFlows } from './credits/creditFlow.ts'
import { openHolds } from './credits/openHold.ts'
import { deskActions } from './desk/deskAction.ts'
import { deskBulks } from './desk/deskBulk.ts'
import { deskCases } from './desk/deskCase.ts'
import type { AnyProjection } from './engine/projection.ts'
import { currentSubscriptions } from './subscriptions/currentSubscription.ts'
import { invoices } from './subscriptions/invoice.ts'
import { invoiceDocuments } from './subscriptions/invoiceDocument.ts'
import { lateRenders } from './tasks/lateRender.ts'
import { openTasks } from './tasks/openTask.ts'
import { taskOutcomes } from './tasks/taskOutcome.ts'
import { videoTasks } from './tasks/videoTask.ts'
import { openTeamChanges } from './teams/openTeamChange.ts'
import { teamRosters } from './teams/teamRoster.ts'

export const PROJECTIONS: readonly AnyProjection[] = [
  videoTasks,
  openTasks,
  lateRenders,
  creditBalances,
  creditEntries,
  openHolds,
  chainHeads,
  currentSubscriptions,
  invoices,
  invoiceDocuments,
  taskOutcomes,
  creditFlows,
  creditCodes,
  openRedemptions,
  deskActions,
  teamRosters,
  openTeamChanges,
  deskCases,
  deskBulks,
]

/** Read models that list what workflows resume and sweep. */
export const WORK_LISTS: readonly AnyProjection[] = [
  openTasks,
  lateRenders,
  openHolds,
  currentSubscriptions,
  openRedemptions,
  deskActions,
  openTeamChanges,
  deskBulks,
]
