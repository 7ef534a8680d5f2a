import type pg from 'pg'
import { CHANGE_CHANNEL } from '../kernel/postgres/changes.ts'

/** Keeps how far a rendering is and tells who listens; undefined: it is over. Percent, a whole number. */
export async function showProgress(pool: pg.Pool, taskId: string, percent: number | undefined): Promise<void> {
  if (percent === undefined) {
    await pool.query('delete from render_progress where task_id = $1', [taskId])
    return
  }
  const { rowCount } = await pool.query(
    `insert into render_progress as p values ($1, $2)
     on conflict (task_id) do update set percent = excluded.percent where p.percent <> excluded.percent`,
    [taskId, Math.round(percent)],
  )
  if (rowCount)
    await pool.query('select pg_notify($1, $2)', [
      CHANGE_CHANNEL,
      JSON.stringify({ name: 'videoTasks', ids: [taskId] }),
    ])
}
