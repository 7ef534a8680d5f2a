import { defineEntity, p } from '@mikro-orm/core'
import type { FailureCode } from '#backend/tasks/contract.ts'
import {
  VIDEO_TASK,
  VIDEO_TASK_EVENTS,
  type VideoCostReported,
  type VideoRenderRequested,
  type VideoTaskAbandoned,
  type VideoTaskDeleted,
  type VideoTaskFailed,
  type VideoTaskRecovered,
  type VideoTaskSubmitted,
  type VideoTaskSucceeded,
} from '#backend/tasks/events.ts'
import type { Projection, RowOf } from '../engine/projection.ts'

/** A task's outcome, with its resolution and duration. Kept after the task is deleted, because it incurred a cost. */
const TaskOutcomeTable = defineEntity({
  name: 'TaskOutcomeRow',
  tableName: 'task_outcome',
  properties: {
    id: p.uuid().primary(),
    resolution: p.text(),
    duration: p.integer(),
    /** The ordered model, and the engine that was asked last. */
    model: p.text().nullable(),
    engine: p.text().nullable(),
    credits: p.integer().nullable(),
    /** Cost to the operator in US cents, as the provider or else the order says; null if unknown. */
    cents: p.double().nullable(),
    /** Null while the task is open. */
    ended_at: p.datetime().nullable(),
    /** Null while the task is open and for a delivered clip. */
    error_code: p.text().$type<FailureCode>().nullable(),
  },
})
type TaskOutcomeRow = RowOf<typeof TaskOutcomeTable>

type TaskOutcomeEvent =
  | VideoTaskSubmitted
  | VideoCostReported
  | VideoRenderRequested
  | VideoTaskSucceeded
  | VideoTaskFailed
  | VideoTaskRecovered
  | VideoTaskAbandoned
  | VideoTaskDeleted

type Row = TaskOutcomeRow | undefined
const delivered = (row: Row, { data }: { data: { at: string } }): Row =>
  row && { ...row, ended_at: data.at, error_code: null }

export const taskOutcomes: Projection<TaskOutcomeEvent, TaskOutcomeRow> = {
  name: 'taskOutcomes',
  version: 4,
  table: TaskOutcomeTable,
  categories: [VIDEO_TASK],
  schemas: VIDEO_TASK_EVENTS,
  row: (event) => event.data.taskId,
  on: {
    VideoTaskSubmitted: (_, { data: { taskId: id, resolution, duration, model, credits, shape } }) => {
      const perSecond = shape.centsPerSecond
      const cents = shape.cents ?? (perSecond === undefined ? null : perSecond * duration)
      return { id, resolution, duration, model, engine: null, credits, cents, ended_at: null, error_code: null }
    },
    VideoRenderRequested: (row, { data }) => row && { ...row, engine: data.provider.replaceAll('-', '_') },
    VideoCostReported: (row, { data: { costCents } }) =>
      row && (costCents === undefined ? row : { ...row, cents: costCents }),
    VideoTaskSucceeded: delivered,
    VideoTaskFailed: (row, { data }) => row && { ...row, ended_at: data.at, error_code: data.code },
    VideoTaskRecovered: delivered,
    VideoTaskAbandoned: () => undefined,
    VideoTaskDeleted: (row) => (row?.ended_at ? row : undefined),
  },
}
