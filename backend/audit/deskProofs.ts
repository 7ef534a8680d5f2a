import type { CreditAccountEvent } from '../credits/events.ts'
import { DESK_ACTION, type DeskActionEvent, type DeskOrder } from '../desk/events.ts'
import { approvedContent, askedContent } from '../desk/signedTexts.contract.ts'
import type { InstallationEvent } from '../installation/events.ts'
import type { Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import { canonicalJson, derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import type { SubscriptionEvent } from '../subscriptions/events.ts'
import { type Deviations, type Place, placeOf } from './deviation.ts'
import type { OperatorProofs } from './operatorProofs.ts'

interface Action extends Place {
  readonly order: DeskActionEvent<'ActionAsked'>['data']
  approvedBy?: string
  /** Type of its last event, once it is over. */
  ended?: 'ActionRefused' | 'ActionDone' | 'ActionFailed'
  /** What a finished action says about its refund. */
  done?: DeskActionEvent<'ActionDone'>['data']
  /** Credits were granted or taken by it. */
  corrected?: true
  /** Its video was released, or ordered again. */
  settled?: true
}

type Correction = Stored<CreditAccountEvent<'CreditLotGranted' | 'CreditsWithdrawn'>>
type Reversal = SubscriptionEvent<'SubscriptionSaleReversed'>['data']

/** Kinds that move credits or money, as reported. */
const COUNTED = ['grant', 'take', 'refund', 'release_task', 'retry_task'] as const

/**
 * Checks that operators' actions follow their rules, that each grant, take and refund of one was made as it was ordered, and that
 * each correction that names an action was ordered by it, once.
 */
export class DeskProofs {
  readonly #actions = new Map<string, Action>()
  /** Refunds that the log reports, by id. */
  readonly #reversals = new Map<string, Reversal>()
  /** Actions that are to release a video's credits, or to order a new video, by the id of the video. */
  readonly #videos = new Map<string, Action[]>()
  readonly #deviations: Deviations

  readonly #operators: OperatorProofs

  constructor(deviations: Deviations, operators: OperatorProofs) {
    this.#deviations = deviations
    this.#operators = operators
  }

  take(event: Stored<DeskActionEvent>): void {
    const wrong = this.#faultOf(event)
    if (wrong) this.#deviations.add('desk', event, wrong)
  }

  takeReversal({ data }: Stored<SubscriptionEvent<'SubscriptionSaleReversed'>>): void {
    this.#reversals.set(data.reversalId, data)
  }

  /** Takes the release of a video's credits, or the order of a video. */
  takeVideo(userId: string, taskId: string): void {
    for (const action of this.#videos.get(taskId) ?? []) if (action.order.userId === userId) action.settled = true
  }

  #ask(actionId: string, action: Action): void {
    this.#actions.set(actionId, action)
    const { kind, subject } = action.order
    const taskId = kind === 'release_task' ? subject : kind === 'retry_task' ? derivedId('retry', actionId) : undefined
    if (taskId !== undefined) this.#videos.set(taskId, [...(this.#videos.get(taskId) ?? []), action])
  }

  #faultOf(event: Stored<DeskActionEvent>): string | undefined {
    const { actionId } = event.data
    if (event.stream !== `${DESK_ACTION}-${actionId}`) return `It names another action: ${actionId}.`
    const action = this.#actions.get(actionId)
    if (event.type === 'ActionAsked') {
      if (action) return 'The action was asked for before.'
      this.#ask(actionId, { ...placeOf(event), order: event.data })
      if (!event.data.reason) return 'An action without a reason.'
      if (String(event.meta.actor) !== `operator:${event.data.operator}`)
        return `It was asked for by "${event.meta.actor}", not by the operator ${event.data.operator}.`
      return isOfBulk(event.data)
        ? undefined
        : this.#operators.faultOf(event.data, canonicalJson(askedContent(event.data)))
    }
    if (!action) return 'No such action was asked for.'
    if (action.ended) return 'The action was over before.'
    if (event.type === 'ActionApproved') {
      const { operator, operatorId } = event.data
      action.approvedBy = operator
      const isOwn = operator === action.order.operator || (operatorId && operatorId === action.order.operatorId)
      if (isOwn) return 'The operator approved an action of their own.'
      return this.#operators.faultOf(event.data, canonicalJson(approvedContent(action.order, event.data)))
    }
    action.ended = event.type
    if (event.type === 'ActionDone') action.done = event.data
    if (event.type === 'ActionDone' && event.data.at < (action.order.dueAt ?? ''))
      return 'It was carried out before its time.'
    return event.type === 'ActionDone' && !isApproved(action) ? 'It was carried out without an approval.' : undefined
  }

  /** Returns what is wrong with a correction that names the action `actionId`; undefined if nothing is. */
  faultOf(event: Correction, actionId: string): string | undefined {
    const action = this.#actions.get(actionId)
    if (!action) return `No operator asked for the action ${actionId}.`
    const { order } = action
    const made = contentOf(event)
    if (action.corrected || action.ended) return `The action ${actionId} was over before.`
    if (!isApproved(action)) return `The action ${actionId} was not approved.`
    if (made.id !== actionId || made.kind !== order.kind || event.data.userId !== order.userId)
      return `The action ${actionId} ordered something else: ${order.kind} for user ${order.userId}.`
    if (made.amount !== order.amount) return `It moves ${made.amount} credits; ${order.amount} were ordered.`
    if (event.data.reason !== order.reason) return `Its reason is not the one of the action ${actionId}.`
    if (String(event.meta.actor) !== `operator:${order.operator}`)
      return `The action ${actionId} was ordered by ${order.operator}, not by "${event.meta.actor}".`
    action.corrected = true
    return undefined
  }

  /** Reports actions that are finished without their effect. */
  end(): void {
    for (const [actionId, action] of this.#actions) {
      const wrong = action.done && this.#missing(actionId, action)
      if (wrong) this.#deviations.add('desk', action, wrong)
    }
  }

  #missing(actionId: string, { order, done, corrected, settled }: Action): string | undefined {
    const { kind, subject, amount, userId } = order
    if (kind === 'grant' || kind === 'take')
      return corrected ? undefined : `The action ${actionId} is done, but its ${amount} credits did not move.`
    if (kind === 'release_task' && !settled)
      return `The action ${actionId} is done, but the credits of its video stayed held.`
    if (kind === 'retry_task' && !settled) return `The action ${actionId} is done, but no video was ordered again.`
    if (kind !== 'refund' || done?.pending) return undefined
    const made = this.#reversals.get(done?.reversalId ?? '')
    const isMade = made?.userId === userId && made.saleId === subject && made.amountCents === amount
    return isMade
      ? undefined
      : `The action ${actionId} is done, but no refund of ${amount} cents of its sale was reported.`
  }

  /** Counts the actions that moved credits or money as they were ordered, and the signatures of operators. Names who ordered each. */
  report() {
    const found = [...this.#actions].filter(([id, action]) => action.done && !this.#missing(id, action))
    const count = (kind: string) => found.filter(([, { order }]) => order.kind === kind).length
    const counts = Object.fromEntries(COUNTED.map((kind) => [kind, count(kind)]))
    const actions = [...this.#actions].map(([id, { order, approvedBy = null, ended = null, id: event }]) => {
      const { kind, subject, operator, signature } = order
      return { id, event, kind, subject, operator, signed: signature !== undefined, approvedBy, ended }
    })
    return { ...(counts as Record<(typeof COUNTED)[number], number>), ...this.#operators.report(), actions }
  }
}

/** Checks that an operator gave a reason for a change of the installation, and that it was that operator who made it. */
export function takeInstallation(event: Stored<InstallationEvent>, deviations: Deviations): void {
  const { operator, reason } = event.data
  const isOwn = String(event.meta.actor) === `operator:${operator}`
  if (!isOwn) deviations.add('desk', event, `It was made by "${event.meta.actor}", not by the operator ${operator}.`)
  if (!reason) deviations.add('desk', event, 'A change of the installation without a reason.')
}

/** Returns whether an action is one of a bulk, whose order is an event of its own. A workflow asks for them one after the other. */
const isOfBulk = ({ bulk, kind }: DeskOrder) => bulk !== undefined && (kind === 'release_task' || kind === 'retry_task')

const isApproved = ({ order, approvedBy }: Action) => !order.needsApproval || approvedBy !== undefined

/** Returns what a correction did, and the id in it, which is that of its action. */
function contentOf({ type, data }: Correction) {
  if (type === 'CreditLotGranted')
    return { id: data.lotId.replace(/^adjustment-/, ''), kind: 'grant', amount: data.amount }
  return { id: data.adjustmentId, kind: 'take', amount: data.parts.reduce((sum, { amount }) => sum + amount, 0) }
}
