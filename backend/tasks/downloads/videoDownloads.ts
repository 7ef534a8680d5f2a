import type pg from 'pg'
import type { Clock } from '../../kernel/time.ts'

export type VideoDownloads = ReturnType<typeof createVideoDownloads>

/** Creates the record of when owners and their programs downloaded videos. It is evidence of delivery, and is deleted with the account. */
export const createVideoDownloads = (pool: Pick<pg.Pool, 'query'>, clock: Clock) => ({
  /** Records a download once a minute, because players ask for a file in ranges. */
  async record(userId: string, taskId: string): Promise<void> {
    await pool.query(
      `insert into video_download (task_id, user_id, at) select $1::uuid, $2::uuid, $3::timestamptz where not exists (
         select from video_download where task_id = $1 and at > $3::timestamptz - interval '1 minute')`,
      [taskId, userId, new Date(clock())],
    )
  },

  /** Returns when videos of a user were downloaded, oldest first, by the video's id. */
  async list(userId: string): Promise<ReadonlyMap<string, readonly string[]>> {
    const { rows } = await pool.query<{ task_id: string; at: Date }>(
      'select task_id, at from video_download where user_id = $1 order by at limit 1000',
      [userId],
    )
    const byTask = Map.groupBy(rows, ({ task_id }) => task_id)
    return new Map([...byTask].map(([id, found]) => [id, found.map(({ at }) => at.toISOString())]))
  },
})
