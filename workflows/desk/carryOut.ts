import { deskAction, isReady, isScheduled } from '#backend/desk/deskAction.decider.ts'
import type { DeskActionEvent, DeskOrder } from '#backend/desk/events.ts'
import type { DeskKind } from '#backend/desk/kinds.contract.ts'
import type { CommandContext } from '#backend/kernel/eventsourcing/command.ts'
import type { Handle } from '#backend/kernel/eventsourcing/handle.ts'
import { Rejection } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { isUnreadable } from '#backend/kernel/eventsourcing/quarantine.ts'
import type { Calendar } from '#backend/kernel/time.ts'
import {
  type NewRefund,
  PaymentProviderDown,
  type ProviderReversal,
} from '#backend/subscriptions/paymentProvider.port.ts'
import { type CommandDeps, sendCommand } from '../subscriptions/sendCommand.ts'

/** An action that is to be carried out. `at`: when it was asked for. */
export type OpenAction = DeskOrder & Readonly<{ actionId: string; at: string }>
/** What the event of a carried out action says about its effect. */
type Effect = Omit<DeskActionEvent<'ActionDone'>['data'], 'actionId' | 'at'>
/** Carries out an action. Repeating it has no effect. @throws Rejection it cannot be carried out, and nothing was changed */
type Act = (action: OpenAction, context: CommandContext) => Promise<void>

/** What changes accounts, plans and tasks. */
export type Acts = Readonly<Record<Exclude<DeskKind, 'grant' | 'take' | 'refund' | 'retry_task'>, Act>> & {
  /** Orders a failed video again, for the credits of the person. Returns the id of the new task. */
  readonly retry_task: (action: OpenAction, context: CommandContext) => Promise<string>
  /** Warns the person of an action before its time. @throws Rejection it cannot be carried out any more */
  readonly announce: (action: OpenAction) => Promise<void>
  /** Tells the person what was done. `values` fill the text of the mail. */
  readonly tell: (action: OpenAction, mail: ActMail, values: Readonly<Record<string, string>>) => Promise<void>
}

export interface CarryOutDeps extends CommandDeps {
  readonly handle: Handle
  readonly calendar: Calendar
  readonly acts: Acts
  readonly isErased: (userId: string) => Promise<boolean>
  readonly credits: {
    adjust(
      userId: string,
      adjustment: Readonly<{ adjustmentId: string; amount: number; reason: string; action: string }>,
      context: CommandContext,
    ): Promise<void>
  }
  readonly payments: {
    reaches(saleId: string): boolean
    refund(refund: NewRefund): Promise<ProviderReversal | undefined>
  }
}

/** Mails about actions that change no account. */
const MAILS = {
  grant: 'creditsGranted',
  take: 'creditsTaken',
  refund: 'paymentRefunded',
  cancel_task: 'videoReleased',
  release_task: 'videoReleased',
  retry_task: 'videoRetried',
  cancel_plan: 'planCancelled',
} as const
type ActMail = (typeof MAILS)[keyof typeof MAILS]

/** Rejections of a moment, after which the action is repeated. */
const PASSING: readonly string[] = ['unavailable', 'newer_data']

/**
 * Creates the function that carries out an action, once: every step is named after the action, so it can be interrupted and
 * repeated. Throws if it is to be repeated later.
 */
export function createCarryOut(deps: CarryOutDeps) {
  const { handle, calendar } = deps

  return async (actionId: string): Promise<void> => {
    const { state } = await handle.read(deskAction, actionId)
    if (!state || !isReady(state)) return
    const at = new Date(calendar()).toISOString()
    const action = { ...state, actionId }
    const by = { actor: `operator:${state.operator}`, correlationId: actionId }
    const about = { actionId, at }
    const work: Promise<Effect | undefined> = isScheduled(state, at)
      ? deps.acts.announce(action).then(() => undefined)
      : carryOut(deps, action, { ...by, commandId: derivedId('desk', actionId) })
    const command = await work.then(
      (effect) => effect && ({ type: 'FinishAction', ...about, ...effect } as const),
      (error) => ({ type: 'FailAction', ...about, ...failureOf(error) }) as const,
    )
    // It was announced, and waits for its time.
    if (!command) return
    if (command.type === 'FinishAction') await tell(deps, action)
    await handle(deskAction, actionId, command, { ...by, commandId: derivedId('desk', command.type, actionId) })
  }
}

async function carryOut(deps: CarryOutDeps, action: OpenAction, context: CommandContext): Promise<Effect> {
  switch (action.kind) {
    case 'refund':
      return refund(deps, action)
    case 'grant':
      await adjust(deps, action, context, action.amount ?? 0)
      return {}
    case 'take':
      await adjust(deps, action, context, -(action.amount ?? 0))
      return {}
    case 'retry_task':
      return { taskId: await deps.acts.retry_task(action, context) }
    default:
      await deps.acts[action.kind](action, context)
      return {}
  }
}

/** Tells the person before the action is over, so that a crash in between repeats it. */
async function tell({ acts }: CarryOutDeps, action: OpenAction): Promise<void> {
  const mail = (MAILS as Partial<Record<DeskKind, ActMail>>)[action.kind]
  const { amount = 0, currency } = action
  const shown: Record<string, string> = currency
    ? { amount: `${(amount / 100).toFixed(2)} ${currency}` }
    : { credits: String(amount) }
  if (mail) await acts.tell(action, mail, shown)
}

/** Returns why an action cannot be carried out. @throws the error of a moment */
function failureOf(error: unknown): Readonly<{ why: string; detail: string }> {
  if (isUnreadable(error)) return { why: 'ledger_broken', detail: 'The account cannot be read.' }
  if (!(error instanceof Rejection) || PASSING.includes(error.code)) throw error
  return { why: error.code, detail: error.message }
}

async function adjust(
  { credits, isErased }: CarryOutDeps,
  { actionId, userId, reason }: OpenAction,
  context: CommandContext,
  amount: number,
): Promise<void> {
  if (await isErased(userId)) throw new Rejection('not_found', 'This account was deleted.')
  await credits.adjust(userId, { adjustmentId: actionId, amount, reason, action: actionId }, context)
}

/** Shown to the buyer, whose language the till does not know. */
const REFUND_REASON = 'Refunded by the seller. 卖家已退款。'

async function refund(
  deps: CarryOutDeps,
  { actionId, userId, subject: saleId, ...order }: OpenAction,
): Promise<Effect> {
  const { payments, calendar } = deps
  if (!payments.reaches(saleId)) throw new Rejection('no_such_provider', 'Its payment provider is not set up any more.')
  const request = {
    saleId,
    refundId: `desk-${actionId}`,
    amountCents: order.amount ?? 0,
    currency: order.currency ?? '',
    reason: REFUND_REASON,
  }
  const made = await payments.refund(request).catch((error: unknown) => {
    if (error instanceof PaymentProviderDown || isUnreadable(error)) throw error
    throw new Rejection(
      'refund_refused',
      `The payment provider refused it: ${String((error as Error).message)}`.slice(0, 300),
    )
  })
  if (!made) return { pending: true }
  const { reversalId, amountCents, reversal: kind } = made
  const at = new Date(calendar()).toISOString()
  await sendCommand(deps, { type: 'ReportReversal', userId, saleId, reversalId, amountCents, kind, at })
  return { reversalId }
}
