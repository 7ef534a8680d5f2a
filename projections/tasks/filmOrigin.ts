import { defineEntity, p } from '@mikro-orm/core'
import type { Lineage } from '#backend/tasks/contract.ts'
import { VIDEO_TASK, VIDEO_TASK_EVENTS, type VideoTaskDeleted, type VideoTaskSubmitted } from '#backend/tasks/events.ts'
import type { Projection, RowOf } from '../engine/projection.ts'

/** The film that another one was made from. */
const FilmOriginTable = defineEntity({
  name: 'FilmOriginRow',
  tableName: 'film_origin',
  properties: {
    id: p.uuid().primary(),
    user_id: p.uuid(),
    parent_id: p.uuid(),
    made_as: p.text().$type<Lineage>(),
  },
})
type FilmOriginRow = RowOf<typeof FilmOriginTable>

export const filmOrigins: Projection<VideoTaskSubmitted | VideoTaskDeleted, FilmOriginRow> = {
  name: 'filmOrigins',
  version: 1,
  table: FilmOriginTable,
  categories: [VIDEO_TASK],
  schemas: VIDEO_TASK_EVENTS,
  row: (event) => event.data.taskId,
  on: {
    VideoTaskSubmitted(_, { data: { taskId, userId, source, from } }) {
      const parent = from ?? (source && { taskId: source.taskId, as: 'finer' as const })
      return parent && { id: taskId, user_id: userId, parent_id: parent.taskId, made_as: parent.as }
    },
    VideoTaskDeleted: () => undefined,
  },
}
