import { defineEntity, p } from '@mikro-orm/core'
import type { BulkKind } from '#backend/triage/contract.ts'
import { BULK, BULK_EVENTS, type BulkEvent } from '#backend/triage/events.ts'
import type { Projection, RowOf } from '../engine/projection.ts'

/** A bulk of actions that an operator asked for. */
const DeskBulkTable = defineEntity({
  name: 'DeskBulkRow',
  tableName: 'desk_bulk',
  properties: {
    id: p.uuid().primary(),
    kind: p.text().$type<BulkKind>(),
    operator: p.text(),
    reason: p.text(),
    count: p.integer(),
    credits: p.integer(),
    status: p.text().$type<'running' | 'stopped' | 'ended'>(),
    done: p.integer().nullable(),
    failed: p.integer().nullable(),
    asked_at: p.datetime(),
  },
})
export type DeskBulkRow = RowOf<typeof DeskBulkTable>

export const deskBulks: Projection<BulkEvent, DeskBulkRow> = {
  name: 'deskBulks',
  version: 1,
  table: DeskBulkTable,
  categories: [BULK],
  schemas: BULK_EVENTS,
  row: ({ data }) => data.bulkId,
  on: {
    BulkAsked: (_, { data: { bulkId: id, kind, operator, reason, items, at } }) => ({
      ...{ id, kind, operator, reason, count: items.length, asked_at: at },
      credits: items.reduce((sum, { credits }) => sum + credits, 0),
      ...{ status: 'running', done: null, failed: null },
    }),
    BulkStopped: (row) => row && { ...row, status: 'stopped' },
    BulkEnded: (row, { data: { done, failed } }) =>
      row && { ...row, done, failed, status: row.status === 'stopped' ? 'stopped' : 'ended' },
  },
}
