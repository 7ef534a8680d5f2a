import { type Database, queryOne } from '../engine/query.ts'

/** Returns the number, total duration and total size of a user's finished videos. */
export const readWorkStats = (database: Database, userId: string) =>
  queryOne<{ videos: number; duration_ms: number; bytes: number }>(
    database,
    `select count(*)::int as videos, coalesce(sum(video_duration_ms), 0)::float as duration_ms,
       coalesce(sum(video_size), 0)::float as bytes
     from video_task where user_id = :userId and status = 'Success'`,
    { userId },
  )
