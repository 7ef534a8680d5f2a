import type { DeskCaseRow } from '#projections/desk/deskCase.ts'
import { countCases, readCaseRow, readCases } from '#projections/desk/readCases.ts'
import type { Case, CaseHistory } from '../../cases/contract.ts'
import { CASE, CASE_EVENTS, type CaseEvent } from '../../cases/events.ts'
import type { CaseRoutes } from '../../cases/routes.ts'
import { upcast } from '../../kernel/eventsourcing/pure/eventSchemas.ts'
import { isUuid } from '../../kernel/eventsourcing/uuid7.ts'
import { instant, instantOrNull } from '../../kernel/http/instant.ts'
import type { Context } from '../context.ts'
import type { Services } from '../services.ts'
import { createDossier } from './dossier.ts'

export type OpenCases = Omit<CaseRoutes, 'operator' | 'requireStepUp' | 'record'>

const viewOf = (row: DeskCaseRow): Case => ({
  ...row,
  due_at: instantOrNull(row.due_at),
  opened_at: instant(row.opened_at),
  closed_at: instantOrNull(row.closed_at),
})

const NOTHING = { by: null, outcome: null, note: null }

function lineOf({ type, data }: CaseEvent): CaseHistory[number] {
  const { at } = data
  switch (type) {
    case 'CaseOpened':
      return { ...NOTHING, at, what: 'opened' }
    case 'CaseAssigned':
      return { ...NOTHING, at, what: data.owner === null ? 'released' : 'assigned', by: data.by }
    case 'CaseClosed':
      return { at, what: 'closed', by: data.by ?? null, outcome: data.outcome, note: data.note ?? null }
  }
}

/** Creates what the board reads and changes of cases. */
export function casesOnBoard(context: Context, services: Pick<Services, 'cases' | 'downloads'>): OpenCases {
  const { calendar, database, store } = context
  const { cases } = services
  return {
    cases,
    async list(filter, page, perPage) {
      const { rows, total } = await readCases(database, filter, { page, perPage })
      return { cases: rows.map(viewOf), total }
    },
    dossier: createDossier(context, services),
    counts: (operator) => countCases(database, operator, new Date(calendar())),
    async read(id) {
      const row = isUuid(id) ? await readCaseRow(database, id) : undefined
      return row && viewOf(row)
    },
    async history(id) {
      const lines: CaseHistory = []
      for await (const event of store.readStream<CaseEvent>(`${CASE}-${id}`))
        lines.push(lineOf(upcast(CASE_EVENTS, event)))
      return lines
    },
  }
}
