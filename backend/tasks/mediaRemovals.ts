import type pg from 'pg'
import { notify } from '../kernel/postgres/notify.ts'
import type { MediaRemovals } from './mediaRemovals.port.ts'

/** Change notification for tasks whose files a workflow has to remove. */
export const MEDIA_REMOVALS = 'mediaRemovals'

/** A deletion that is still not in the log after this time has been rejected or lost, ms. */
const UNDECIDED_MS = 60_000

/** Creates the list in the table `media_removal`. */
export function createMediaRemovals(pool: Pick<pg.Pool, 'query'>): MediaRemovals {
  return {
    async around(taskId, remove) {
      const sql = `insert into media_removal (task_id) values ($1)
        on conflict (task_id) do update set requested_at = excluded.requested_at`
      await pool.query(sql, [taskId])
      const result = await remove()
      await notify(pool, { name: MEDIA_REMOVALS, ids: [taskId] })
      return result
    },

    async waiting() {
      const sql = 'select task_id from media_removal order by requested_at limit 1000'
      return (await pool.query<{ task_id: string }>(sql)).rows.map(({ task_id }) => task_id)
    },

    async done(taskId) {
      await pool.query('delete from media_removal where task_id = $1', [taskId])
    },

    async giveUp(taskId) {
      const sql = `delete from media_removal where task_id = $1 and requested_at < now() - $2 * interval '1 ms'`
      await pool.query(sql, [taskId, UNDECIDED_MS])
    },
  }
}
