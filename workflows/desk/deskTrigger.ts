import { DESK_ACTION, DESK_ACTION_EVENTS, type DeskActionEvent } from '#backend/desk/events.ts'
import { BULK, BULK_EVENTS, type BulkEvent } from '#backend/triage/events.ts'
import type { LogTrigger, OpenWork } from '../engine/logTriggers.ts'
import type { RowTrigger } from '../engine/rowTriggers.ts'
import type { Start } from '../engine/starts.ts'
import { runBulk } from './runBulk.workflow.ts'

type Action = Readonly<{ actionId: string; kind: string; userId: string }>

/**
 * Kinds that undo each other, so that the one that was asked for last must come last, or that must not be done twice, with what
 * they change of a user.
 */
const ORDERED: Readonly<Record<string, string>> = {
  suspend: 'suspension',
  restore: 'suspension',
  take_down: 'public pages',
  put_back: 'public pages',
  retry_task: 'repeated videos',
}

/**
 * Carries out operators' actions, without a workflow, and after a restart those that are open. Announces those that wait for
 * their time, which a row trigger carries out.
 */
export function deskTrigger(
  readOpenWork: () => Promise<OpenWork<Action>>,
  carryOut: (actionId: string) => Promise<unknown>,
): LogTrigger<DeskActionEvent, Action> {
  const start = ({ actionId, kind, userId }: Action): Start => ({
    entity: ORDERED[kind] ? `${ORDERED[kind]} ${userId}` : actionId,
    priority: 1,
    run: () => carryOut(actionId),
  })
  return {
    category: DESK_ACTION,
    schemas: DESK_ACTION_EVENTS,
    readOpenWork,
    resume: start,
    react({ type, data }) {
      if (type === 'ActionAsked') return data.needsApproval ? undefined : start(data)
      // An approved action is one of credits or a refund, which no other one undoes.
      return type === 'ActionApproved' ? start({ actionId: data.actionId, kind: '', userId: '' }) : undefined
    },
  }
}

/** Carries out actions whose time has come. */
export const dueActionTrigger = (
  due: RowTrigger['waiting'],
  carryOut: (actionId: string) => Promise<unknown>,
): RowTrigger => ({
  waiting: due,
  async start(_, actionId) {
    await carryOut(actionId)
  },
})

/** Runs the bulks of actions. */
export const bulkTrigger = (readOpenWork: () => Promise<OpenWork<string>>): LogTrigger<BulkEvent, string> => {
  const run = (bulkId: string): Start => ({
    entity: bulkId,
    priority: 2,
    run: (engine) => engine.start(runBulk, { bulkId }),
  })
  return {
    category: BULK,
    schemas: BULK_EVENTS,
    readOpenWork,
    resume: run,
    react: ({ type, data }) => (type === 'BulkAsked' ? run(data.bulkId) : undefined),
  }
}
