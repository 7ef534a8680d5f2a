import { countCasesByKind } from '#projections/desk/readCases.ts'
import { countWaitingActions } from '#projections/desk/readDeskActions.ts'
import { listParked } from '#projections/engine/readParked.ts'
import { readOpenTasks } from '#projections/tasks/readTaskHealth.ts'
import type { backupOnBoard } from '../../backups/backupOnBoard.ts'
import { stuckBefore } from '../../operators/businessRoutes.ts'
import type { NowRoutes } from '../../operators/nowRoutes.ts'
import type { Context } from '../context.ts'

type State = Awaited<ReturnType<typeof backupOnBoard>>

/** Returns the worst of what is wrong with the backup. */
function faultOf({ configured, has_phrase, overdue, failure }: State) {
  if (!configured) return null
  if (!has_phrase) return 'no_phrase' as const
  if (overdue) return 'overdue' as const
  return failure ? ('failed' as const) : null
}

/** Creates what the board reads of the things that need an operator. */
export const nowOnBoard = (
  { database, clock, calendar }: Context,
  alerts: NowRoutes['alerts'],
  backup: () => Promise<State>,
): NowRoutes => ({
  cases: () => countCasesByKind(database, new Date(calendar())),
  approvals: () => countWaitingActions(database),
  // Cases stand for these.
  alerts: async () => (await alerts()).filter(({ code }) => !/^refund_(proposed|failed) /.test(code)),
  parked: async () => (await listParked(database, { page: 1, perPage: 1 })).total,
  stuck: async () => (await readOpenTasks(database, stuckBefore(clock()))).stuck.length,
  backup: async () => faultOf(await backup()),
})
