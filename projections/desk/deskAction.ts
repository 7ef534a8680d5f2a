import { defineEntity, p } from '@mikro-orm/core'
import { DESK_ACTION, DESK_ACTION_EVENTS, type DeskActionEvent } from '#backend/desk/events.ts'
import type { DeskKind } from '#backend/desk/kinds.contract.ts'
import type { Projection, RowOf } from '../engine/projection.ts'

/** An action that an operator asked for. */
const DeskActionTable = defineEntity({
  name: 'DeskActionRow',
  tableName: 'desk_action',
  properties: {
    id: p.uuid().primary(),
    kind: p.text().$type<DeskKind>(),
    subject: p.text(),
    user_id: p.uuid(),
    amount: p.integer().nullable(),
    currency: p.text().nullable(),
    reason: p.text(),
    operator: p.text(),
    status: p.text().$type<'waiting' | 'scheduled' | 'asked' | 'approved' | 'refused' | 'done' | 'failed'>(),
    why: p.text().nullable(),
    asked_at: p.datetime(),
    due_at: p.datetime().nullable(),
    ended_at: p.datetime().nullable(),
  },
})
export type DeskActionRow = RowOf<typeof DeskActionTable>

export const deskActions: Projection<DeskActionEvent, DeskActionRow> = {
  name: 'deskActions',
  version: 2,
  table: DeskActionTable,
  categories: [DESK_ACTION],
  schemas: DESK_ACTION_EVENTS,
  row: ({ data }) => data.actionId,
  on: {
    ActionAsked: (_, { data: { actionId: id, userId, needsApproval, dueAt, at, ...order } }) => ({
      id,
      user_id: userId,
      kind: order.kind,
      subject: order.subject,
      amount: order.amount ?? null,
      currency: order.currency ?? null,
      reason: order.reason,
      operator: order.operator,
      status: needsApproval ? 'waiting' : dueAt ? 'scheduled' : 'asked',
      why: null,
      asked_at: at,
      due_at: dueAt ?? null,
      ended_at: null,
    }),
    ActionApproved: (row) => row && { ...row, status: 'approved' },
    ActionRefused: (row, { data }) => row && { ...row, status: 'refused', why: data.why, ended_at: data.at },
    ActionDone: (row, { data }) => row && { ...row, status: 'done', ended_at: data.at },
    ActionFailed: (row, { data }) => row && { ...row, status: 'failed', why: data.why, ended_at: data.at },
  },
}
