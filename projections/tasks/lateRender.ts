import { defineEntity, p } from '@mikro-orm/core'
import {
  VIDEO_TASK,
  type VideoRecoveryEnded,
  type VideoTaskDeleted,
  type VideoTaskFailed,
  type VideoTaskRecovered,
} from '#backend/tasks/events.ts'
import type { Projection } from '../projection.ts'

/** A render that we gave up and the provider may still finish. */
export interface LateRenderRow {
  id: string
  user_id: string
}

export const LateRenderTable = defineEntity({
  name: 'LateRenderRow',
  tableName: 'late_render',
  properties: { id: p.uuid().primary(), user_id: p.uuid() },
})

type LateRenderEvent = VideoTaskFailed | VideoTaskRecovered | VideoRecoveryEnded | VideoTaskDeleted

export const lateRenders: Projection<LateRenderEvent, LateRenderRow> = {
  name: 'lateRenders',
  version: 1,
  table: LateRenderTable,
  categories: [VIDEO_TASK],
  row: (event) => event.data.taskId,
  on: {
    VideoTaskFailed: (_, { data }) =>
      data.code === 'render_timed_out' && data.jobId !== null ? { id: data.taskId, user_id: data.userId } : undefined,
    VideoTaskRecovered: () => undefined,
    VideoRecoveryEnded: () => undefined,
    VideoTaskDeleted: () => undefined,
  },
}
