import { type Decider, Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { CaseCommand } from './commands.ts'
import { CASE, CASE_EVENTS, type CaseEvent } from './events.ts'

/** Null: it was never opened. */
export type Case = Readonly<{ isOpen: boolean; owner: string | null; sources: readonly string[] }> | null

function evolve(state: Case, event: CaseEvent): Case {
  switch (event.type) {
    case 'CaseOpened':
      return { isOpen: true, owner: null, sources: [...(state?.sources ?? []), event.data.source] }
    case 'CaseAssigned':
      return state && { ...state, owner: event.data.owner }
    case 'CaseClosed':
      return state && { ...state, isOpen: false }
  }
}

function decide(command: CaseCommand, state: Case): readonly CaseEvent[] {
  switch (command.type) {
    case 'OpenCase': {
      const { type: _, ...data } = command
      return state?.isOpen || state?.sources.includes(data.source) ? [] : [{ type: 'CaseOpened', data }]
    }
    case 'AssignCase': {
      const { type: _, ...data } = command
      if (!state) throw new Rejection('not_found', 'There is no such case.')
      if (!state.isOpen) throw new Rejection('case_closed', 'This case has ended.')
      return state.owner === data.owner ? [] : [{ type: 'CaseAssigned', data }]
    }
    case 'CloseCase': {
      const { type: _, ...data } = command
      if (state?.isOpen) return [{ type: 'CaseClosed', data }]
      // The log ends cases whether they are open or not.
      if (data.by === undefined) return []
      if (!state) throw new Rejection('not_found', 'There is no such case.')
      throw new Rejection('case_closed', 'This case has ended.')
    }
  }
}

/** Decides what operators should look at, in one stream per case. See docs/decisions/0089-cases.md. */
export const deskCase: Decider<Case, CaseCommand, CaseEvent> = {
  category: CASE,
  schemas: CASE_EVENTS,
  initial: null,
  evolve,
  decide,
  begins: ({ type }) => type === 'OpenCase',
  weight: (state) => 200 + 64 * (state?.sources.length ?? 0),
}
