import { type Decider, Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { DeskActionCommand } from './commands.ts'
import { DESK_ACTION, DESK_ACTION_EVENTS, type DeskActionEvent, type DeskOrder } from './events.ts'

type Asked = DeskOrder &
  Readonly<{
    at: string
    status: 'asked' | 'approved' | 'refused' | 'done' | 'failed'
    /** Why it was refused, or failed. */
    why?: string
  }>
/** Null: no such action was asked for. */
export type DeskAction = Asked | null

function evolve(action: DeskAction, { type, data }: DeskActionEvent): DeskAction {
  if (type === 'ActionAsked') {
    const { actionId: _, signature: __, ...order } = data
    return { ...order, status: 'asked' }
  }
  switch (type) {
    case 'ActionApproved':
      return action && { ...action, status: 'approved' }
    case 'ActionRefused':
      return action && { ...action, status: 'refused', why: data.why }
    case 'ActionDone':
      return action && { ...action, status: 'done' }
    case 'ActionFailed':
      return action && { ...action, status: 'failed', why: data.why }
  }
}

/** Time before it is carried out in which an action cannot be stopped any more: clocks differ. */
const LATE_MS = 60_000

/** Returns whether an action waits for its time. @param at now, as ISO 8601 */
export const isScheduled = (action: Asked, at: string): boolean => isReady(action) && (action.dueAt ?? '') > at

/** Returns whether an action is to be carried out, once its time has come. */
export const isReady = ({ status, needsApproval }: Asked): boolean =>
  status === 'approved' || (status === 'asked' && !needsApproval)

/** Returns whether nothing will change about an action. */
export const isOver = ({ status }: Asked): boolean => status === 'refused' || status === 'done' || status === 'failed'

function decide(command: DeskActionCommand, action: DeskAction): readonly DeskActionEvent[] {
  if (command.type === 'AskAction') return ask(command, action)
  if (!action) throw new Rejection('not_found', 'There is no such action.')
  switch (command.type) {
    case 'ApproveAction': {
      const { type: _, ...data } = command
      if (isOf(action, data)) throw new Rejection('own_approval', 'Another operator must approve this.')
      return isWaiting(action) ? [{ type: 'ActionApproved', data }] : over(action, 'approved')
    }
    case 'RefuseAction': {
      const { type: _, ...data } = command
      return isWaiting(action) ? [{ type: 'ActionRefused', data }] : over(action, 'refused')
    }
    case 'FinishAction': {
      const { type: _, ...data } = command
      return isReady(action) ? [{ type: 'ActionDone', data }] : []
    }
    case 'FailAction': {
      const { type: _, ...data } = command
      return isReady(action) ? [{ type: 'ActionFailed', data }] : []
    }
    case 'StopAction': {
      const { type: _, ...data } = command
      if (action.status === 'refused') return []
      const isLate = Date.parse(data.at) > Date.parse(action.dueAt ?? data.at) - LATE_MS
      if (!isReady(action) || isLate) throw new Rejection('too_late', 'This action can no longer be stopped.')
      return [{ type: 'ActionRefused', data: { ...data, why: data.operator ? 'stopped' : 'stopped_by_person' } }]
    }
  }
}

/** Returns whether an action waits for another operator. */
const isWaiting = ({ status, needsApproval }: Asked): boolean => status === 'asked' && needsApproval === true

const isOf = (action: Asked, { operator, operatorId }: { operator: string; operatorId: string }): boolean =>
  action.operator === operator || action.operatorId === operatorId

/** Returns no events if an action was decided as it is to be. @throws Rejection not_waiting */
function over({ status }: Asked, wanted: Asked['status']): readonly DeskActionEvent[] {
  if (status === wanted) return []
  throw new Rejection('not_waiting', 'This action does not wait for an approval any more.')
}

function ask(
  { type: _, refused, ...data }: DeskActionCommand<'AskAction'>,
  action: DeskAction,
): readonly DeskActionEvent[] {
  const { actionId, at, operator, kind, subject, amount, reason } = data
  if (!action) {
    const asked = { type: 'ActionAsked', data } as const
    return refused === undefined ? [asked] : [asked, { type: 'ActionRefused', data: { actionId, at, why: refused } }]
  }
  const isSame =
    action.operator === operator &&
    action.kind === kind &&
    action.subject === subject &&
    action.amount === amount &&
    action.reason === reason
  if (isSame) return []
  throw new Rejection('idempotency_key_reused', 'Another action was asked for with this id.')
}

/** Decides an operator's action, in one stream per action. See docs/decisions/0079-the-desk.md. */
export const deskAction: Decider<DeskAction, DeskActionCommand, DeskActionEvent> = {
  category: DESK_ACTION,
  schemas: DESK_ACTION_EVENTS,
  initial: null,
  evolve,
  decide,
  begins: ({ type }) => type === 'AskAction',
  hashChained: true,
}
