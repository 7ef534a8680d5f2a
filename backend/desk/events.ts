import type { Event } from '../kernel/eventsourcing/pure/decider.ts'
import type { EventSchemas } from '../kernel/eventsourcing/pure/eventSchemas.ts'
import type { DeskKind } from './kinds.contract.ts'

/** What a passkey signed, in base64url. Its challenge is the hash of a text of `signedTexts.contract.ts`. */
export type PasskeySignature = Readonly<{
  credentialId: string
  authenticatorData: string
  clientDataJSON: string
  signature: string
}>

/** The operator who decided something. Events of earlier versions lack the id, and are of the operator of the environment. */
export type Decided = Readonly<{
  operator: string
  operatorId?: string
  /** Missing if the operator has no passkey. */
  signature?: PasskeySignature
}>

/** What an operator asked for. */
export type DeskOrder = Readonly<{
  operator: string
  operatorId?: string
  kind: DeskKind
  /** Id of the user, the sale or the task that the action is about. */
  subject: string
  /** The user whom it concerns. */
  userId: string
  /** Credits of a grant or take, cents of a refund; missing in other kinds. */
  amount?: number
  /** Of a refund. */
  currency?: string
  reason: string
  /** The new address of an account, encrypted with the user's key. */
  sealedAddress?: string
  /** When it is carried out, as ISO 8601, unless it is stopped before; missing: now. */
  dueAt?: string
  /** The bulk that it belongs to. */
  bulk?: string
  /** Another operator must approve it before it is carried out. */
  needsApproval?: true
}>

/** Data of each event, in addition to the action's id and the time. */
interface Data {
  ActionAsked: DeskOrder & Decided
  ActionApproved: Decided
  /** `operator` is missing if the rules refused it, or the person stopped it. */
  ActionRefused: { operator?: string; operatorId?: string; why: string }
  /** `reversalId`: the refund as the till reports it. `pending`: the till accepted the refund, and reports its end later. `taskId`: the new task. */
  ActionDone: { reversalId?: string; pending?: true; taskId?: string }
  /** It cannot be carried out. Nothing was changed. */
  ActionFailed: { why: string; detail: string }
}

/** An event of one of the types `T`; of any type by default. */
export type DeskActionEvent<T extends keyof Data = keyof Data> = {
  [K in T]: Event<K, { actionId: string; at: string } & Data[K]>
}[T]

export const DESK_ACTION = 'deskAction'

export const DESK_ACTION_EVENTS: EventSchemas<DeskActionEvent['type']> = {
  ActionAsked: [],
  ActionApproved: [],
  ActionRefused: [],
  ActionDone: [],
  ActionFailed: [],
}
