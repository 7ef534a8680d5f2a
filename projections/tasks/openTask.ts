import { defineEntity, p } from '@mikro-orm/core'
import {
  RENDER_LANE,
  RENDER_LANE_EVENTS,
  type RenderSlotClaimed,
  type RenderSlotReleased,
  VIDEO_TASK,
  VIDEO_TASK_EVENTS,
  type VideoTaskDeleted,
  type VideoTaskFailed,
  type VideoTaskQueued,
  type VideoTaskSubmitted,
} from '#backend/tasks/events.ts'
import type { Projection, RowOf } from '../engine/projection.ts'

/** A task whose workflow has not ended. The row is deleted when the task's slot in the render lane is released. */
const OpenTaskTable = defineEntity({
  name: 'OpenTaskRow',
  tableName: 'open_task',
  properties: {
    id: p.uuid().primary(),
    /** Who pays, whose render lane it uses. */
    user_id: p.uuid(),
    priority: p.integer(),
    /** Submission time of a task whose workflow has not run yet; null once it has, or once the task has ended. */
    unstarted_since: p.datetime().nullable(),
  },
})
type OpenTaskRow = RowOf<typeof OpenTaskTable>

type OpenTaskEvent =
  | VideoTaskSubmitted
  | VideoTaskQueued
  | VideoTaskFailed
  | VideoTaskDeleted
  | RenderSlotClaimed
  | RenderSlotReleased

const started = (row: OpenTaskRow | undefined) => row && { ...row, unstarted_since: null }

export const openTasks: Projection<OpenTaskEvent, OpenTaskRow> = {
  name: 'openTasks',
  version: 2,
  table: OpenTaskTable,
  categories: [VIDEO_TASK, RENDER_LANE],
  schemas: { ...VIDEO_TASK_EVENTS, ...RENDER_LANE_EVENTS },
  row: (event) => event.data.taskId,
  on: {
    VideoTaskSubmitted: (_, { data }) => ({
      id: data.taskId,
      user_id: data.payerId ?? data.userId,
      priority: data.priority,
      unstarted_since: data.at,
    }),
    VideoTaskQueued: started,
    VideoTaskFailed: started,
    VideoTaskDeleted: started,
    RenderSlotClaimed: started,
    RenderSlotReleased: () => undefined,
  },
}
