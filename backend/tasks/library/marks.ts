import type pg from 'pg'
import type { Owned } from '../../kernel/ownership.ts'
import { refuseDeletedUser } from '../refuseDeletedUser.ts'

export interface Mark {
  readonly id: string
  readonly favourite: boolean
  /** Name of the folder; null outside folders. */
  readonly folder: string | null
}

/** A field that is undefined stays as it is. */
type Change = Readonly<{ favourite?: boolean | undefined; folder?: string | null | undefined }>

export type Marks = ReturnType<typeof createMarks>

/**
 * Creates the store of favourites and folders: rows, because a preference is no fact that the log needs. See
 * docs/decisions/0043-library.md.
 */
export function createMarks(pool: Pick<pg.Pool, 'query'>) {
  return {
    /** Changes the marks of one or more videos. @throws Rejection unauthenticated, if the account was deleted */
    async set(
      userId: string,
      videos: readonly Owned<{ readonly id: string }>[],
      { favourite, folder }: Change,
    ): Promise<void> {
      const sql = `insert into video_mark as m (task_id, user_id, favourite, folder)
        select id, $1, coalesce($3, false), $4 from unnest($2::uuid[]) as id
        on conflict (task_id) do update
        set user_id = $1, favourite = coalesce($3, m.favourite), folder = case when $5 then m.folder else excluded.folder end`
      const values = [userId, videos.map(({ id }) => id), favourite, folder, folder === undefined]
      await pool.query(sql, values).catch(refuseDeletedUser)
    },

    async remove({ id: taskId }: Owned<{ readonly id: string }>): Promise<void> {
      await pool.query('delete from video_mark where task_id = $1', [taskId])
    },

    /** Returns a user's favourites and the videos in folders. */
    async list(userId: string): Promise<Mark[]> {
      const sql = `select task_id as id, favourite, folder from video_mark
        where user_id = $1 and (favourite or folder is not null) order by task_id desc`
      return (await pool.query<Mark>(sql, [userId])).rows
    },
  }
}
