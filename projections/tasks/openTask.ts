import { defineEntity, p } from '@mikro-orm/core'
import { RENDER_LANE, type RenderSlotReleased, VIDEO_TASK, type VideoTaskSubmitted } from '#backend/tasks/events.ts'
import type { Projection, RowOf } from '../engine/projection.ts'

/** A task whose workflow has not ended. The row is deleted when the task's slot in the render lane is released. */
const OpenTaskTable = defineEntity({
  name: 'OpenTaskRow',
  tableName: 'open_task',
  properties: { id: p.uuid().primary(), user_id: p.uuid(), priority: p.integer() },
})
type OpenTaskRow = RowOf<typeof OpenTaskTable>

export const openTasks: Projection<VideoTaskSubmitted | RenderSlotReleased, OpenTaskRow> = {
  name: 'openTasks',
  version: 1,
  table: OpenTaskTable,
  categories: [VIDEO_TASK, RENDER_LANE],
  row: (event) => event.data.taskId,
  on: {
    VideoTaskSubmitted: (_, { data }) => ({ id: data.taskId, user_id: data.userId, priority: data.priority }),
    RenderSlotReleased: () => undefined,
  },
}
