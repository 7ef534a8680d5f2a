import { type Decider, Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { OperatorRollCommand } from './commands.ts'
import { BOOTSTRAP, type GivenRole, OPERATOR_ROLL, OPERATOR_ROLL_EVENTS, type OperatorRollEvent } from './events.ts'

export interface Operator {
  readonly name: string
  readonly role: GivenRole
  readonly status: 'invited' | 'active' | 'removed'
}

export interface OperatorRoll {
  /** Invited operators, by id. */
  readonly operators: Readonly<Record<string, Operator>>
  /** Public keys by credential id, by operator. */
  readonly keys: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Names of operators of the environment that were removed. */
  readonly removed: readonly string[]
}

/** Returns an operator, who may be that of the environment, whose name is `bootstrap`. */
export function operatorIn(roll: OperatorRoll, id: string, bootstrap: string): Operator | undefined {
  if (id !== BOOTSTRAP) return roll.operators[id]
  return { name: bootstrap, role: 'owner', status: roll.removed.includes(bootstrap) ? 'removed' : 'active' }
}

/** Returns the operators who are not removed, by id. */
export function presentIn(roll: OperatorRoll, bootstrap: string): [string, Operator][] {
  const ids = [BOOTSTRAP, ...Object.keys(roll.operators)]
  return ids
    .map((id): [string, Operator] => [id, operatorIn(roll, id, bootstrap)!])
    .filter(([, { status }]) => status !== 'removed')
}

function evolve(roll: OperatorRoll, { type, data }: OperatorRollEvent): OperatorRoll {
  const { operatorId: id } = data
  const changed = (change: Partial<Operator>): OperatorRoll => {
    const known = roll.operators[id]
    return known ? { ...roll, operators: { ...roll.operators, [id]: { ...known, ...change } } } : roll
  }
  switch (type) {
    case 'OperatorInvited': {
      const { name, role } = data
      return { ...roll, operators: { ...roll.operators, [id]: { name, role, status: 'invited' } } }
    }
    case 'OperatorJoined':
      return changed({ status: 'active' })
    case 'OperatorRoleChanged':
      return changed({ role: data.role })
    case 'OperatorRemoved':
      return id === BOOTSTRAP ? { ...roll, removed: [...roll.removed, data.name] } : changed({ status: 'removed' })
    case 'OperatorKeyAdded': {
      const { credentialId, publicKey } = data
      return { ...roll, keys: { ...roll.keys, [id]: { ...roll.keys[id], [credentialId]: publicKey } } }
    }
    case 'OperatorKeyRemoved': {
      const { [data.credentialId]: _, ...keys } = roll.keys[id] ?? {}
      return { ...roll, keys: { ...roll.keys, [id]: keys } }
    }
  }
}

const RANKS: Readonly<Record<GivenRole, number>> = { viewer: 0, support: 1, owner: 2 }

function decide(command: OperatorRollCommand, roll: OperatorRoll): readonly OperatorRollEvent[] {
  const { operatorId, at, bootstrap } = command
  const about = { operatorId, at }
  if (command.type === 'InviteOperator') return invite(command, roll)
  const operator = operatorIn(roll, operatorId, bootstrap)
  if (operator?.status === 'removed' && command.type === 'RemoveOperator') return []
  if (!operator || operator.status === 'removed') throw new Rejection('not_found', 'There is no such operator.')
  switch (command.type) {
    case 'JoinOperator':
      return operator.status === 'invited' ? [{ type: 'OperatorJoined', data: about }] : []
    case 'ChangeRole': {
      const { role, by } = command
      if (role === operator.role) return []
      if (operatorId === BOOTSTRAP) throw refusedTo('The operator of the environment is an owner.')
      assertMay(roll, by, bootstrap, role)
      assertOwnerLeft(roll, operatorId, bootstrap)
      return [{ type: 'OperatorRoleChanged', data: { ...about, role, by } }]
    }
    case 'RemoveOperator':
      assertMay(roll, command.by, bootstrap)
      assertOwnerLeft(roll, operatorId, bootstrap)
      return [{ type: 'OperatorRemoved', data: { ...about, name: operator.name, by: command.by } }]
    case 'SetKeys':
      return changedKeys(about, operator.name, roll.keys[operatorId] ?? {}, command.keys)
  }
}

function invite(
  { operatorId, at, bootstrap, name, role, by }: OperatorRollCommand<'InviteOperator'>,
  roll: OperatorRoll,
): readonly OperatorRollEvent[] {
  assertMay(roll, by, bootstrap, role)
  // Names stay in the log for ever, so the one of an operator is never another's.
  const known = [...Object.values(roll.operators).map((each) => each.name), ...roll.removed, bootstrap]
  if (known.some((each) => each.toLowerCase() === name.toLowerCase()))
    throw new Rejection('operator_exists', 'There is, or was, an operator with this name.')
  return [{ type: 'OperatorInvited', data: { operatorId, at, name, role, by } }]
}

const refusedTo = (detail: string) => new Rejection('operator_role', detail)

/** Refuses an order of an operator who is not an owner, or who gives a role above their own. */
function assertMay(roll: OperatorRoll, by: string, bootstrap: string, given: GivenRole = 'viewer'): void {
  const operator = operatorIn(roll, by, bootstrap)
  if (operator?.status !== 'active' || operator.role !== 'owner' || RANKS[given] > RANKS[operator.role])
    throw refusedTo('Only an owner may do this.')
}

/** Refuses an order after which no owner would be left. An owner who has not joined is none yet. */
function assertOwnerLeft(roll: OperatorRoll, without: string, bootstrap: string): void {
  const isLeft = presentIn(roll, bootstrap).some(
    ([id, { role, status }]) => id !== without && role === 'owner' && status === 'active',
  )
  if (!isLeft) throw new Rejection('last_owner', 'The last owner stays. Invite another one first.')
}

function changedKeys(
  about: { readonly operatorId: string; readonly at: string },
  name: string,
  known: Readonly<Record<string, string>>,
  keys: Readonly<Record<string, string>>,
): readonly OperatorRollEvent[] {
  const added = Object.entries(keys).filter(([id]) => !Object.hasOwn(known, id))
  const removed = Object.keys(known).filter((id) => !Object.hasOwn(keys, id))
  return [
    ...added.map(
      ([credentialId, publicKey]): OperatorRollEvent => ({
        type: 'OperatorKeyAdded',
        data: { ...about, name, credentialId, publicKey },
      }),
    ),
    ...removed.map(
      (credentialId): OperatorRollEvent => ({ type: 'OperatorKeyRemoved', data: { ...about, credentialId } }),
    ),
  ]
}

/** Decides who is an operator, and with which role, in one stream. See docs/decisions/0087-named-operators.md. */
export const operatorRoll: Decider<OperatorRoll, OperatorRollCommand, OperatorRollEvent> = {
  category: OPERATOR_ROLL,
  schemas: OPERATOR_ROLL_EVENTS,
  initial: { operators: {}, keys: {}, removed: [] },
  evolve,
  decide,
  hashChained: true,
}
