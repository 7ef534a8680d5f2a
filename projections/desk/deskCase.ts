import { defineEntity, p } from '@mikro-orm/core'
import type { CaseKind, CaseOutcome } from '#backend/cases/contract.ts'
import { CASE, CASE_EVENTS, type CaseEvent } from '#backend/cases/events.ts'
import type { Projection, RowOf } from '../engine/projection.ts'

/** What an operator should look at. */
const DeskCaseTable = defineEntity({
  name: 'DeskCaseRow',
  tableName: 'desk_case',
  properties: {
    id: p.uuid().primary(),
    kind: p.text().$type<CaseKind>(),
    subject: p.text(),
    user_id: p.uuid().nullable(),
    sale_id: p.text().nullable(),
    amount: p.integer().nullable(),
    currency: p.text().nullable(),
    detail: p.text().nullable(),
    due_at: p.datetime().nullable(),
    owner: p.text().nullable(),
    outcome: p.text().$type<CaseOutcome>().nullable(),
    note: p.text().nullable(),
    opened_at: p.datetime(),
    closed_at: p.datetime().nullable(),
  },
})
export type DeskCaseRow = RowOf<typeof DeskCaseTable>

export const deskCases: Projection<CaseEvent, DeskCaseRow> = {
  name: 'deskCases',
  version: 1,
  table: DeskCaseTable,
  categories: [CASE],
  schemas: CASE_EVENTS,
  row: ({ data }) => data.caseId,
  on: {
    CaseOpened: (_, { data }) => ({
      ...{ id: data.caseId, kind: data.kind, subject: data.subject, user_id: data.userId ?? null },
      ...{ sale_id: data.saleId ?? null, amount: data.amount ?? null, currency: data.currency ?? null },
      ...{ detail: data.detail ?? null, due_at: data.dueAt ?? null, opened_at: data.at },
      ...{ owner: null, outcome: null, note: null, closed_at: null },
    }),
    CaseAssigned: (row, { data }) => row && { ...row, owner: data.owner },
    CaseClosed: (row, { data }) =>
      row && { ...row, outcome: data.outcome, note: data.note ?? null, closed_at: data.at },
  },
}
