import { bySystem } from '../kernel/eventsourcing/command.ts'
import type { GlobalPosition } from '../kernel/eventsourcing/eventStore.port.ts'
import type { Handle } from '../kernel/eventsourcing/handle.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import { uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import type { Changes } from '../kernel/postgres/changes.ts'
import type { Calendar } from '../kernel/time.ts'
import { deskCase } from './case.decider.ts'
import type { CaseCommand } from './commands.ts'
import type { CaseKind, CaseOutcome } from './contract.ts'
import type { Opening } from './events.ts'

interface CasesDeps {
  readonly handle: Handle
  readonly changes: Pick<Changes, 'waitFor'>
  readonly calendar: Calendar
}

export type Cases = ReturnType<typeof createCases>

/** Returns the id of the case of a kind about a subject. */
export const caseIdOf = (kind: CaseKind, subject: string): string => derivedId('case', kind, subject)

/** Creates the service that opens, assigns and ends the cases of operators. */
export function createCases({ handle, changes, calendar }: CasesDeps) {
  const now = () => new Date(calendar()).toISOString()

  /** Returns once the list of cases shows the outcome. */
  async function decideAs(operator: string, command: CaseCommand): Promise<void> {
    const context = { commandId: uuid7(), actor: `operator:${operator}`, correlationId: command.caseId }
    const { position } = await handle(deskCase, command.caseId, command, context)
    await changes.waitFor(['deskCases'], position)
  }

  return {
    /** Opens a case, unless it is open or its source opened it before. Returns its id. */
    async open(opening: Opening): Promise<{ caseId: string; position: GlobalPosition | undefined }> {
      const caseId = caseIdOf(opening.kind, opening.subject)
      const command = { type: 'OpenCase', caseId, at: now(), ...opening } as const
      const { position } = await handle(deskCase, caseId, command, bySystem('open case', opening.source, caseId))
      return { caseId, position }
    },

    /** Ends a case because of what the log says, if it is open. */
    async settle(kind: CaseKind, subject: string, outcome: CaseOutcome): Promise<void> {
      const caseId = caseIdOf(kind, subject)
      const { state } = await handle.read(deskCase, caseId)
      if (!state?.isOpen) return
      const context = bySystem('settle case', String(state.sources.length), caseId)
      await handle(deskCase, caseId, { type: 'CloseCase', caseId, at: now(), outcome }, context)
    },

    /** @throws Rejection not_found, case_closed */
    assign: (caseId: string, owner: string | null, by: string) =>
      decideAs(by, { type: 'AssignCase', caseId, at: now(), owner, by }),

    /** @throws Rejection not_found, case_closed */
    close: (caseId: string, outcome: 'done' | 'dismissed', note: string, by: string) =>
      decideAs(by, { type: 'CloseCase', caseId, at: now(), outcome, note, by }),
  }
}
