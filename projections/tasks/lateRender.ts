import { defineEntity, p } from '@mikro-orm/core'
import {
  OPEN_ENDED,
  VIDEO_TASK,
  VIDEO_TASK_EVENTS,
  type VideoRecoveryEnded,
  type VideoRenderFound,
  type VideoTaskDeleted,
  type VideoTaskFailed,
  type VideoTaskRecovered,
} from '#backend/tasks/events.ts'
import type { Projection, RowOf } from '../engine/projection.ts'

/** A failed render that the provider may still finish. */
const LateRenderTable = defineEntity({
  name: 'LateRenderRow',
  tableName: 'late_render',
  properties: { id: p.uuid().primary(), user_id: p.uuid() },
})
type LateRenderRow = RowOf<typeof LateRenderTable>

type LateRenderEvent = VideoTaskFailed | VideoRenderFound | VideoTaskRecovered | VideoRecoveryEnded | VideoTaskDeleted

export const lateRenders: Projection<LateRenderEvent, LateRenderRow> = {
  name: 'lateRenders',
  version: 3,
  table: LateRenderTable,
  categories: [VIDEO_TASK],
  schemas: VIDEO_TASK_EVENTS,
  row: (event) => event.data.taskId,
  on: {
    VideoTaskFailed: (_, { data }) =>
      OPEN_ENDED.includes(data.code) && data.jobId !== null ? { id: data.taskId, user_id: data.userId } : undefined,
    VideoRenderFound: (_, { data }) => ({ id: data.taskId, user_id: data.userId }),
    VideoTaskRecovered: () => undefined,
    VideoRecoveryEnded: () => undefined,
    // Its recovery may be storing the video, so it still has to end.
    VideoTaskDeleted: (row) => row,
  },
}
