import type { Event } from '../kernel/eventsourcing/pure/decider.ts'
import type { EventSchemas } from '../kernel/eventsourcing/pure/eventSchemas.ts'
import type { OperatorRole } from '../kernel/http/contract.ts'

/** A role that can be given. Operators without a second factor have the role `invited` until they set one up. */
export type GivenRole = Exclude<OperatorRole, 'invited'>

/** Data of each event, in addition to the operator's id and the time. `by` is the id of the operator who ordered it. */
interface Data {
  OperatorInvited: { name: string; role: GivenRole; by: string }
  /** The operator has set up a second factor for the first time. */
  OperatorJoined: object
  OperatorRoleChanged: { role: GivenRole; by: string }
  OperatorRemoved: { name: string; by: string }
  /** `publicKey`: of a passkey, DER (SPKI) in base64. */
  OperatorKeyAdded: { name: string; credentialId: string; publicKey: string }
  OperatorKeyRemoved: { credentialId: string }
}

/** An event of one of the types `T`; of any type by default. */
export type OperatorRollEvent<T extends keyof Data = keyof Data> = {
  [K in T]: Event<K, { operatorId: string; at: string } & Data[K]>
}[T]

export const OPERATOR_ROLL = 'operatorRoll'
/** Id of the only stream: who the last owner is can only be decided for all operators together. */
export const ROLL = 'main'

/** Id of the operator of the environment, who is an owner. No user has the nil UUID. */
export const BOOTSTRAP = '00000000-0000-0000-0000-000000000000'

export const OPERATOR_ROLL_EVENTS: EventSchemas<OperatorRollEvent['type']> = {
  OperatorInvited: [],
  OperatorJoined: [],
  OperatorRoleChanged: [],
  OperatorRemoved: [],
  OperatorKeyAdded: [],
  OperatorKeyRemoved: [],
}
