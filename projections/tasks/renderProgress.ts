import { notify } from '#backend/kernel/postgres/notify.ts'
import type { Database } from '#backend/kernel/postgres/query.ts'
import { queryPrepared } from '#backend/kernel/postgres/query.ts'
import { videoTasks } from './videoTask.ts'

/** Previews of engines are smaller. */
const MAX_FRAME_BYTES = 256 << 10

interface Progress {
  readonly percent: number | undefined
  /** A JPEG of the picture so far. */
  readonly frame?: Uint8Array | undefined
}

/** Stores the progress of a render and notifies listeners. `undefined`, or an unknown progress, deletes it. */
export async function showProgress(database: Database, taskId: string, progress: Progress | undefined): Promise<void> {
  if (progress?.percent === undefined) {
    await queryPrepared(database, 'delete from render_progress where task_id = $1', [taskId])
    return
  }
  const { frame } = progress
  const shown = frame && frame.length <= MAX_FRAME_BYTES ? Buffer.from(frame).toString('base64') : null
  const changed = await queryPrepared(
    database,
    `insert into render_progress as p (task_id, percent, frame, frame_at)
     values ($1, $2, decode($3::text, 'base64'), case when $3::text is not null then $2::int end)
     on conflict (task_id) do update set percent = excluded.percent, frame = coalesce(excluded.frame, p.frame),
       frame_at = case when excluded.frame is distinct from p.frame then coalesce(excluded.frame_at, p.frame_at)
         else p.frame_at end
     where p.percent <> excluded.percent
     returning task_id`,
    [taskId, Math.round(progress.percent), shown],
  )
  if (changed.length > 0) await notify(database.em.fork(), { name: videoTasks.name, ids: [taskId] })
}
