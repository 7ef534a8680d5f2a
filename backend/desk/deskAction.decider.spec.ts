import { describe, expect, it } from 'vitest'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { DeskActionCommand } from './commands.ts'
import { type DeskAction, deskAction, isOver, isReady } from './deskAction.decider.ts'

const about = { actionId: 'a', at: '2026-11-29T12:00:00.000Z' }
const order = { operator: 'olga', kind: 'grant', subject: 'u', userId: 'u', amount: 40, reason: 'a remedy' } as const
const ask = (more: Partial<DeskActionCommand<'AskAction'>> = {}) =>
  ({ type: 'AskAction', ...about, ...order, ...more }) as const
const large = ask({ needsApproval: true })
const finish = { type: 'FinishAction', ...about } as const
const fail = { type: 'FailAction', ...about, why: 'not_found', detail: 'Gone.' } as const
const approve = (operator: string, operatorId = `id of ${operator}`) =>
  ({ type: 'ApproveAction', ...about, operator, operatorId }) as const
const refuse = (operator: string) =>
  ({ type: 'RefuseAction', ...about, operator, operatorId: `id of ${operator}`, why: 'refused_by_operator' }) as const

/** Runs commands, and returns the types of the events of each, or the code of its rejection. */
function run(...commands: readonly DeskActionCommand[]) {
  let state: DeskAction = deskAction.initial
  const outcomes = commands.map((command) => {
    try {
      const events = deskAction.decide(command, state)
      state = events.reduce(deskAction.evolve, state)
      return events.map(({ type }) => type).join() || 'nothing'
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
      return error.code
    }
  })
  return { outcomes, state: state! }
}
const outcomes = (...commands: readonly DeskActionCommand[]) => run(...commands).outcomes

describe('an operator’s action', () => {
  it('is asked for once, and another order with its id is refused', () => {
    const others = [
      { operator: 'otto' },
      { kind: 'take' },
      { subject: 'v' },
      { amount: 41 },
      { reason: 'other' },
    ] as const
    expect(outcomes(ask(), ask({ at: '2027' }), ...others.map(ask))).toEqual([
      'ActionAsked',
      'nothing',
      ...others.map(() => 'idempotency_key_reused'),
    ])
  })

  it('ends once', () => {
    expect(outcomes(ask(), finish, finish, fail)).toEqual(['ActionAsked', 'ActionDone', 'nothing', 'nothing'])
    expect(outcomes(ask(), fail, finish)).toEqual(['ActionAsked', 'ActionFailed', 'nothing'])
    expect(run(ask(), fail).state).toMatchObject({ status: 'failed', why: 'not_found' })
  })

  it('that needs an approval is carried out only after one', () => {
    const states = [run(large), run(large, approve('otto'))].map(({ state }) => isReady(state))
    expect(states).toEqual([false, true])
    expect(outcomes(large, finish, fail)).toEqual(['ActionAsked', 'nothing', 'nothing'])
    expect(outcomes(large, approve('otto'), approve('otto'), finish)).toEqual([
      'ActionAsked',
      'ActionApproved',
      'nothing',
      'ActionDone',
    ])
  })

  it('is not approved by its own operator, under any name, but may be taken back', () => {
    const own = ask({ needsApproval: true, operatorId: 'id of olga' })
    expect(outcomes(own, approve('olga'), approve('other', 'id of olga'), refuse('olga'))).toEqual([
      'ActionAsked',
      'own_approval',
      'own_approval',
      'ActionRefused',
    ])
  })

  it('is decided once, and only if it needs an approval', () => {
    expect(outcomes(ask(), approve('otto'), refuse('otto'))).toEqual(['ActionAsked', 'not_waiting', 'not_waiting'])
    expect(outcomes(large, refuse('otto'), approve('otto'), refuse('otto'), finish)).toEqual([
      'ActionAsked',
      'ActionRefused',
      'not_waiting',
      'nothing',
      'nothing',
    ])
    expect(outcomes(large, approve('otto'), finish, refuse('otto')).at(-1)).toBe('not_waiting')
  })

  it('that was refused is never carried out', () => {
    const refused = ask({ needsApproval: true, refused: 'second_operator_required' })
    expect(outcomes(refused, finish)).toEqual(['ActionAsked,ActionRefused', 'nothing'])
    expect(isOver(run(refused).state)).toBe(true)
  })

  it('begins its hash-chained stream, and must have been asked for', () => {
    expect([deskAction.hashChained, ...[ask(), finish].map(deskAction.begins!)]).toEqual([true, true, false])
    expect(outcomes(finish, fail)).toEqual(['not_found', 'not_found'])
  })
})
