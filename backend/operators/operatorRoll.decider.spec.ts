import { describe, expect, it } from 'vitest'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { OperatorRollCommand } from './commands.ts'
import { BOOTSTRAP, type GivenRole } from './events.ts'
import { operatorIn, operatorRoll, presentIn } from './operatorRoll.decider.ts'

const about = { at: '2026-11-29T12:00:00.000Z', bootstrap: 'olga' }
const invite = (name: string, role: GivenRole, by = BOOTSTRAP) =>
  ({ type: 'InviteOperator', ...about, operatorId: name, name, role, by }) as const
const join = (operatorId: string) => ({ type: 'JoinOperator', ...about, operatorId }) as const
const give = (operatorId: string, role: GivenRole, by = BOOTSTRAP) =>
  ({ type: 'ChangeRole', ...about, operatorId, role, by }) as const
const remove = (operatorId: string, by = BOOTSTRAP) => ({ type: 'RemoveOperator', ...about, operatorId, by }) as const
const keys = (operatorId: string, set: Record<string, string>) =>
  ({ type: 'SetKeys', ...about, operatorId, keys: set }) as const

/** Runs commands. Returns the types of the events of each, or the code of its rejection, and the roll after them. */
function run(...commands: readonly OperatorRollCommand[]) {
  let roll = operatorRoll.initial
  const outcomes = commands.map((command) => {
    try {
      const events = operatorRoll.decide(command, roll)
      roll = events.reduce(operatorRoll.evolve, roll)
      return events.map(({ type }) => type).join() || 'nothing'
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
      return error.code
    }
  })
  return { outcomes, roll }
}
const outcomes = (...commands: readonly OperatorRollCommand[]) => run(...commands).outcomes
const owner = [invite('otto', 'owner'), join('otto')] as const

describe('the roll of operators', () => {
  it('begins with the operator of the environment, who invites others', () => {
    expect(presentIn(operatorRoll.initial, 'olga')).toEqual([
      [BOOTSTRAP, { name: 'olga', role: 'owner', status: 'active' }],
    ])
    const { outcomes, roll } = run(invite('sam', 'support'), join('sam'), join('sam'), join('nobody'))
    expect(outcomes).toEqual(['OperatorInvited', 'OperatorJoined', 'nothing', 'not_found'])
    expect(operatorIn(roll, 'sam', 'olga')).toEqual({ name: 'sam', role: 'support', status: 'active' })
  })

  it('gives a name to one operator for ever', () => {
    const sam = invite('sam', 'viewer')
    expect(outcomes(sam, { ...sam, operatorId: 'b', name: 'SAM' }, remove('sam'), { ...sam, operatorId: 'c' })).toEqual(
      ['OperatorInvited', 'operator_exists', 'OperatorRemoved', 'operator_exists'],
    )
    expect(outcomes(invite('Olga', 'viewer'))).toEqual(['operator_exists'])
  })

  it('is changed by owners who have joined', () => {
    const by = (name: string) => [invite('x', 'viewer', name), give('sam', 'owner', name), remove('otto', name)]
    const refused = ['operator_role', 'operator_role', 'operator_role']
    const given = [invite('sam', 'support'), join('sam'), ...owner]
    expect(outcomes(...given, ...by('sam')).slice(4)).toEqual(refused)
    expect(outcomes(...given, invite('eve', 'owner'), ...by('eve')).slice(5)).toEqual(refused)
    expect(outcomes(...given, remove('otto'), ...by('otto')).slice(5, 7)).toEqual(refused.slice(1))
    expect(outcomes(...given, give('sam', 'owner', 'otto'), give('sam', 'owner')).slice(4)).toEqual([
      'OperatorRoleChanged',
      'nothing',
    ])
  })

  it('keeps an owner who has joined', () => {
    expect(outcomes(remove(BOOTSTRAP))).toEqual(['last_owner'])
    expect(outcomes(invite('otto', 'owner'), remove(BOOTSTRAP))).toEqual(['OperatorInvited', 'last_owner'])
    const successor = [...owner, remove(BOOTSTRAP, 'otto')]
    expect(outcomes(...successor, remove('otto', 'otto'), give('otto', 'viewer', 'otto')).slice(2)).toEqual([
      'OperatorRemoved',
      'last_owner',
      'last_owner',
    ])
    expect(outcomes(...owner, give('otto', 'viewer', 'otto')).slice(2)).toEqual(['OperatorRoleChanged'])
    expect(outcomes(...owner, give(BOOTSTRAP, 'viewer', 'otto')).slice(2)).toEqual(['operator_role'])
  })

  it('removes an operator once, and that of the environment by name', () => {
    const { roll, outcomes } = run(...owner, remove(BOOTSTRAP, 'otto'), remove(BOOTSTRAP, 'otto'), join(BOOTSTRAP))
    expect(outcomes.slice(2)).toEqual(['OperatorRemoved', 'nothing', 'not_found'])
    expect([operatorIn(roll, BOOTSTRAP, 'olga')?.status, operatorIn(roll, BOOTSTRAP, 'oskar')?.status]).toEqual([
      'removed',
      'active',
    ])
  })

  it('has the passkeys of each operator', () => {
    const { outcomes, roll } = run(
      keys(BOOTSTRAP, {}),
      keys(BOOTSTRAP, { a: '1', b: '2' }),
      keys(BOOTSTRAP, { a: '1', b: '2' }),
      keys(BOOTSTRAP, { b: '2', c: '3' }),
    )
    expect(outcomes).toEqual([
      'nothing',
      'OperatorKeyAdded,OperatorKeyAdded',
      'nothing',
      'OperatorKeyAdded,OperatorKeyRemoved',
    ])
    expect(roll.keys).toEqual({ [BOOTSTRAP]: { b: '2', c: '3' } })
  })
})
