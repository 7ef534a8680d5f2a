import type { Database } from '../engine/readModel.ts'
import { notifyChange } from '../engine/readModel.ts'
import { videoTasks } from './videoTask.ts'

/** Stores the progress of a render, in percent, and notifies listeners. `undefined` deletes it. */
export async function showProgress(database: Database, taskId: string, percent: number | undefined): Promise<void> {
  const em = database.em.fork()
  if (percent === undefined) {
    await em.execute('delete from render_progress where task_id = ?', [taskId])
    return
  }
  const changed = await em.execute(
    `insert into render_progress as p values (?, ?)
     on conflict (task_id) do update set percent = excluded.percent where p.percent <> excluded.percent
     returning task_id`,
    [taskId, Math.round(percent)],
  )
  if (changed.length > 0) await notifyChange(em, { name: videoTasks.name, ids: [taskId] })
}
