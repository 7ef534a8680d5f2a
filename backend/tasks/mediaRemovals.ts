import type pg from 'pg'
import { CHANGE_CHANNEL } from '../kernel/postgres/changes.ts'

/** Change notification for tasks whose files a workflow has to remove. */
export const MEDIA_REMOVALS = 'mediaRemovals'

/** A deletion that is still not in the log after this time has been rejected or lost, ms. */
const UNDECIDED_MS = 60_000

export type MediaRemovals = ReturnType<typeof createMediaRemovals>

/**
 * Creates the list of tasks whose files are to be removed (table `media_removal`). A task is listed before it is deleted,
 * so that a crash leaves no files behind, and a workflow removes the files when the bucket answers.
 */
export function createMediaRemovals(pool: Pick<pg.Pool, 'query'>) {
  return {
    /** Lists a task, deletes it, and lets the workflow begin. Returns what `remove` returns. */
    async around<T>(taskId: string, remove: () => Promise<T>): Promise<T> {
      await pool.query('insert into media_removal (task_id) values ($1) on conflict do nothing', [taskId])
      const result = await remove()
      const change = JSON.stringify({ name: MEDIA_REMOVALS, ids: [taskId] })
      await pool.query('select pg_notify($1, $2)', [CHANGE_CHANNEL, change])
      return result
    },

    /** Returns the ids of listed tasks, oldest request first. */
    async waiting(): Promise<string[]> {
      const sql = 'select task_id from media_removal order by requested_at limit 1000'
      return (await pool.query<{ task_id: string }>(sql)).rows.map(({ task_id }) => task_id)
    },

    async done(taskId: string): Promise<void> {
      await pool.query('delete from media_removal where task_id = $1', [taskId])
    },

    /** Takes a task that was not deleted off the list, unless its deletion may still be in progress. */
    async giveUp(taskId: string): Promise<void> {
      const sql = `delete from media_removal where task_id = $1 and requested_at < now() - $2 * interval '1 ms'`
      await pool.query(sql, [taskId, UNDECIDED_MS])
    },
  }
}
