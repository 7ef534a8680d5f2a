import { describe, expect, it } from 'vitest'
import { type Case, deskCase } from './case.decider.ts'
import type { CaseCommand } from './commands.ts'
import type { CaseEvent } from './events.ts'

const at = '2026-11-29T17:00:00.000Z'
const opening = (source: string) =>
  ({ type: 'OpenCase', caseId: 'c', at, kind: 'dispute', subject: 'd', source }) satisfies CaseCommand
const assign = (owner: string | null): CaseCommand => ({ type: 'AssignCase', caseId: 'c', at, owner, by: 'olga' })
const close = (by?: string): CaseCommand => ({ type: 'CloseCase', caseId: 'c', at, outcome: 'done', ...(by && { by }) })

/** Returns the types of the events of the last command. */
function typesAfter(...commands: readonly CaseCommand[]): string[] {
  let state: Case = deskCase.initial
  let events: readonly CaseEvent[] = []
  for (const command of commands) {
    events = deskCase.decide(command, state)
    state = events.reduce(deskCase.evolve, state)
  }
  return events.map(({ type }) => type)
}

describe('a case', () => {
  it('is opened once by a source, and again by another one after it ended', () => {
    expect(typesAfter(opening('a'))).toEqual(['CaseOpened'])
    expect(typesAfter(opening('a'), opening('b'))).toEqual([])
    expect(typesAfter(opening('a'), close('olga'), opening('a'))).toEqual([])
    expect(typesAfter(opening('a'), close('olga'), opening('b'))).toEqual(['CaseOpened'])
  })

  it('has an owner while it is open', () => {
    expect(typesAfter(opening('a'), assign('olga'))).toEqual(['CaseAssigned'])
    expect(typesAfter(opening('a'), assign('olga'), assign('olga'))).toEqual([])
    expect(typesAfter(opening('a'), assign('olga'), assign(null))).toEqual(['CaseAssigned'])
    expect(() => typesAfter(assign('olga'))).toThrow(expect.objectContaining({ code: 'not_found' }))
    expect(() => typesAfter(opening('a'), close(), assign('olga'))).toThrow(
      expect.objectContaining({ code: 'case_closed' }),
    )
  })

  it('is ended once, by an operator or the log', () => {
    expect(typesAfter(opening('a'), close('olga'))).toEqual(['CaseClosed'])
    expect(typesAfter(opening('a'), close(), close())).toEqual([])
    expect(typesAfter(close())).toEqual([])
    expect(() => typesAfter(opening('a'), close(), close('olga'))).toThrow(
      expect.objectContaining({ code: 'case_closed' }),
    )
    expect(() => typesAfter(close('olga'))).toThrow(expect.objectContaining({ code: 'not_found' }))
  })
})
