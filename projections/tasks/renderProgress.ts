import { type Database, query } from '../engine/query.ts'
import { notifyChange } from '../engine/readModel.ts'
import { videoTasks } from './videoTask.ts'

/** Stores the progress of a render, in percent, and notifies listeners. `undefined` deletes it. */
export async function showProgress(database: Database, taskId: string, percent: number | undefined): Promise<void> {
  if (percent === undefined) {
    await query(database, 'delete from render_progress where task_id = :taskId', { taskId })
    return
  }
  const changed = await query(
    database,
    `insert into render_progress as p values (:taskId, :percent)
     on conflict (task_id) do update set percent = excluded.percent where p.percent <> excluded.percent
     returning task_id`,
    { taskId, percent: Math.round(percent) },
  )
  if (changed.length > 0) await notifyChange(database.em.fork(), { name: videoTasks.name, ids: [taskId] })
}
