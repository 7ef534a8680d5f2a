import { setTimeout as delay } from 'node:timers/promises'
import { challengeOf } from '../kernel/challengeOf.ts'
import type { Handle } from '../kernel/eventsourcing/handle.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { canonicalJson, derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import { isUuid, uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import type { OperatorCaller } from '../kernel/http/endpoint.ts'
import { ValidationError } from '../kernel/http/problemDetails.ts'
import { must } from '../kernel/must.ts'
import type { Changes } from '../kernel/postgres/changes.ts'
import type { Calendar } from '../kernel/time.ts'
import type { DeskActionCommand } from './commands.ts'
import { type DeskAction, type DeskKind, type DeskOrder, hasAmount, SUBJECTS, WAIT_HOURS } from './contract.ts'
import { deskAction, isOver, isReady, isScheduled, type DeskAction as State } from './deskAction.decider.ts'
import type { PasskeySignature } from './events.ts'
import { approvedContent, askedContent } from './signedTexts.contract.ts'

/** A sale that can be refunded. `refundable` and `unused`, its exact unused share, are in cents. */
export interface Sale {
  readonly userId: string
  readonly currency: string
  readonly refundable: number
  readonly unused: number
}

/** Passkeys of operators. */
export interface Signing {
  /** Makes the log know the passkeys of an operator. Returns whether there are any. */
  hasKeys(operator: OperatorCaller): Promise<boolean>
  /** Returns the options with which a browser signs a challenge. */
  options(challenge: string): Promise<object>
  /** Returns the owner of the passkey that signed a challenge. @throws Rejection passkey_refused */
  verify(credential: object, challenge: string): Promise<string>
}

interface DeskDeps {
  readonly handle: Handle
  readonly changes: Pick<Changes, 'waitFor'>
  readonly calendar: Calendar
  /** Largest number of credits, or amount in units of its currency, that one operator may order; undefined: any. */
  readonly secondOperatorAbove: number | undefined
  /** Returns the ids of the operators who can approve. */
  readonly deciders: () => Promise<readonly string[]>
  readonly signing: Signing
  /** Encrypts a new address with the user's key. */
  readonly sealAddress: (userId: string, actionId: string, address: string) => Promise<string>
  /** @throws Rejection why an action is not possible: no_second_factor, email_already_registered @throws ValidationError address */
  readonly assertPossible: (kind: DeskKind, userId: string, address: string | undefined) => Promise<void>
  /** Each returns the user whom a subject concerns; undefined if it is unknown. */
  readonly subjects: {
    user(id: string): Promise<{ readonly userId: string } | undefined>
    task(id: string): Promise<{ readonly userId: string } | undefined>
    sale(id: string): Promise<Sale | undefined>
  }
}

export type Desk = ReturnType<typeof createDesk>

/** Time to wait for the outcome of an action, ms. */
const PATIENCE_MS = 8_000
const POLL_MS = 50
/** Largest grant, in credits. */
const MAX_CREDITS = 1_000_000

type OutcomeOf = (actionId: string) => Promise<DeskAction>

/** Creates the function that returns an action once it is over, or as it is after `PATIENCE_MS`. */
const createOutcomes =
  ({ handle, changes, calendar }: DeskDeps): OutcomeOf =>
  async (actionId) => {
    const now = () => new Date(calendar()).toISOString()
    for (const until = performance.now() + PATIENCE_MS; ; await delay(POLL_MS)) {
      const found = await handle.read(deskAction, actionId)
      const state = must(found.state, 'action')
      const isDue = !isOver(state) && isReady(state) && !isScheduled(state, now())
      if (isDue && performance.now() < until) continue
      await changes.waitFor(['deskActions'], found.position)
      return viewOf(actionId, state)
    }
  }

/** Creates what operators decide about the actions of others, and about their own before they are carried out. */
function createDecisions({ handle, calendar, signing }: DeskDeps, outcomeOf: OutcomeOf) {
  const now = () => new Date(calendar()).toISOString()

  /** Reads an action. @throws Rejection not_found */
  async function existing(actionId: string) {
    const state = isUuid(actionId) ? (await handle.read(deskAction, actionId)).state : null
    if (!state) throw new Rejection('not_found', 'There is no such action.')
    return state
  }

  /** Sends an operator's decision about an action, and returns the action with its outcome. */
  async function decide(command: DeskActionCommand<'ApproveAction' | 'RefuseAction'>): Promise<DeskAction> {
    const { actionId, operator } = command
    const context = { commandId: uuid7(), actor: `operator:${operator}`, correlationId: actionId }
    await handle(deskAction, actionId, command, context)
    return outcomeOf(actionId)
  }

  return {
    /**
     * Approves an action of another operator, which is signed.
     * @throws Rejection not_found, not_waiting, own_approval, signature_required, passkey_refused
     */
    async approve(actionId: string, operator: OperatorCaller, credential: object | undefined): Promise<DeskAction> {
      const state = await existing(actionId)
      const by = { operator: operator.name, operatorId: operator.id }
      const command = { type: 'ApproveAction', actionId, ...by, at: now() } as const
      // The rules refuse before a signature is asked for.
      if (deskAction.decide(command, state).length === 0) return outcomeOf(actionId)
      const text = canonicalJson(approvedContent({ ...state, actionId }, by))
      const signature = await signatureOf(signing, operator, text, credential)
      return decide({ ...command, ...(signature && { signature }) })
    },

    /** Refuses an action that waits for an approval. @throws Rejection not_found, not_waiting */
    async refuse(actionId: string, { id: operatorId, name: operator }: OperatorCaller): Promise<DeskAction> {
      await existing(actionId)
      return decide({ type: 'RefuseAction', actionId, operator, operatorId, why: 'refused_by_operator', at: now() })
    },

    /** Stops an action before its time. @throws Rejection not_found, too_late */
    async stop(id: string, operator: string): Promise<DeskAction> {
      const command = { type: 'StopAction', actionId: id, operator, at: now() } as const
      const context = { commandId: uuid7(), actor: `operator:${operator}`, correlationId: id }
      await handle(deskAction, id, command, context)
      return outcomeOf(id)
    },
  }
}

/** Creates the service by which operators order actions. Triggers of the log carry them out. */
export function createDesk(deps: DeskDeps) {
  const { handle, calendar, sealAddress, signing } = deps
  const outcomeOf = createOutcomes(deps)

  /** Returns the parts of a new order that follow from its kind. */
  async function termsOf(actionId: string, kind: DeskKind, userId: string, address: string | undefined) {
    if ((address !== undefined) !== (kind === 'change_address'))
      throw new ValidationError([{ path: 'address', code: address === undefined ? 'required' : 'not_allowed' }])
    await deps.assertPossible(kind, userId, address)
    const hours = WAIT_HOURS[kind]
    return {
      ...(hours !== undefined && { dueAt: new Date(calendar() + hours * 3_600_000).toISOString() }),
      ...(address !== undefined && { sealedAddress: await sealAddress(userId, actionId, address) }),
    }
  }

  return {
    /** Returns whether an operator signs, which proves more than a step-up. */
    signs: signing.hasKeys,
    ...createDecisions(deps, outcomeOf),

    /**
     * Orders an action, and returns it with its outcome, or as it is after a few seconds.
     * @throws Rejection not_found, nothing_to_refund, signature_required, second_operator_required, idempotency_key_reused
     * @throws ValidationError amount
     */
    async ask(
      { id = uuid7(), kind, subject, reason, amount, address, credential }: DeskOrder,
      by: OperatorCaller,
    ): Promise<DeskAction> {
      const { id: operatorId, name: operator } = by
      const known = (await handle.read(deskAction, id)).state
      const about = known ?? (await concern(deps, kind, subject, amount))
      const needsSecond = !known && isAbove(deps, about)
      const others = needsSecond ? (await deps.deciders()).filter((each) => each !== operatorId) : []
      const refused = needsSecond && others.length === 0 ? 'second_operator_required' : undefined
      const order = {
        ...{ actionId: id, operator, operatorId, kind, subject, reason },
        userId: about.userId,
        ...(about.amount !== undefined && { amount: known ? (amount ?? about.amount) : about.amount }),
        ...(about.currency !== undefined && { currency: about.currency }),
        ...(!known && (await termsOf(id, kind, about.userId, address))),
      }
      const signature = known
        ? undefined
        : await signatureOf(signing, by, canonicalJson(askedContent(order)), credential, order)
      const command = {
        type: 'AskAction',
        ...order,
        ...(signature && { signature }),
        ...(needsSecond && { needsApproval: true as const }),
        ...(refused && { refused }),
        at: new Date(calendar()).toISOString(),
      } as const
      const context = { commandId: derivedId('ask', id), actor: `operator:${operator}`, correlationId: id }
      await handle(deskAction, id, command, context)
      const action = await outcomeOf(id)
      if (action.why === 'second_operator_required')
        throw new Rejection('second_operator_required', 'Another operator must approve this amount, and there is none.')
      return action
    },
  }
}

/** Stops what waits for its time because the person objects, with a link that was mailed. Skips what is too late to stop. */
export async function stopByPerson(
  { handle, calendar }: Pick<DeskDeps, 'handle' | 'calendar'>,
  userId: string,
  actionIds: readonly string[],
): Promise<void> {
  for (const actionId of actionIds) {
    const context = { commandId: uuid7(), actor: `user:${userId}`, correlationId: actionId }
    const command = { type: 'StopAction', actionId, at: new Date(calendar()).toISOString() } as const
    await handle(deskAction, actionId, command, context).catch((error) => {
      if (!(error instanceof Rejection) || error.code !== 'too_late') throw error
    })
  }
}

/**
 * Returns the signature of a text by a passkey of the operator; undefined if the operator has none.
 * @throws Rejection signature_required, with what is to be signed @throws Rejection passkey_refused
 */
async function signatureOf(
  signing: Signing,
  operator: OperatorCaller,
  text: string,
  credential: object | undefined,
  { actionId: id, amount }: { readonly actionId?: string; readonly amount?: number } = {},
): Promise<PasskeySignature | undefined> {
  if (!(await signing.hasKeys(operator))) return undefined
  const challenge = challengeOf(text)
  if (!credential) {
    const options = await signing.options(challenge)
    throw new Rejection('signature_required', 'Please sign this with your passkey.', { id, amount, text, options })
  }
  if ((await signing.verify(credential, challenge)) !== operator.id)
    throw new Rejection('passkey_refused', 'This is the passkey of another operator.')
  const { id: credentialId, response } = credential as { id: string; response: Record<string, string> }
  const { authenticatorData = '', clientDataJSON = '', signature = '' } = response
  return { credentialId, authenticatorData, clientDataJSON, signature }
}

type Concern = Readonly<{ userId: string; amount?: number; currency?: string }>

/** Returns the user and the amount of a new action. @throws Rejection not_found, nothing_to_refund @throws ValidationError */
async function concern(
  { subjects }: DeskDeps,
  kind: DeskKind,
  subject: string,
  amount: number | undefined,
): Promise<Concern> {
  if (amount !== undefined && !hasAmount(kind)) throw new ValidationError([{ path: 'amount', code: 'not_allowed' }])
  const unknown = new Rejection('not_found', 'There is no such account, payment or video.')
  if (kind !== 'refund') {
    if (amount === undefined && hasAmount(kind)) throw new ValidationError([{ path: 'amount', code: 'required' }])
    if (amount !== undefined && amount > MAX_CREDITS) throw new ValidationError([{ path: 'amount', code: 'too_large' }])
    const found = await subjects[SUBJECTS[kind] === 'task' ? 'task' : 'user'](subject)
    if (!found) throw unknown
    return { userId: found.userId, ...(amount !== undefined && { amount }) }
  }
  const sale = await subjects.sale(subject)
  if (!sale) throw unknown
  const { userId, currency, refundable, unused } = sale
  if (refundable === 0) throw new Rejection('nothing_to_refund', 'This payment was refunded already.')
  const cents = amount ?? Math.min(unused, refundable)
  if (cents === 0) throw new Rejection('nothing_to_refund', 'All credits of this payment were used. Enter an amount.')
  if (cents > refundable) throw new ValidationError([{ path: 'amount', code: 'too_large' }])
  return { userId, amount: cents, currency }
}

function isAbove({ secondOperatorAbove }: DeskDeps, { amount = 0, currency }: Concern): boolean {
  return secondOperatorAbove !== undefined && (currency ? amount / 100 : amount) > secondOperatorAbove
}

function viewOf(id: string, state: NonNullable<State>): DeskAction {
  const {
    kind,
    subject,
    userId,
    amount = null,
    currency = null,
    reason,
    operator,
    why = null,
    at,
    dueAt = null,
  } = state
  const waits = state.needsApproval ? 'waiting' : dueAt ? 'scheduled' : 'asked'
  const status = state.status === 'asked' ? waits : state.status
  return {
    id,
    kind,
    subject,
    user_id: userId,
    amount,
    currency,
    reason,
    operator,
    status,
    why,
    asked_at: at,
    due_at: dueAt,
    ended_at: null,
  }
}
