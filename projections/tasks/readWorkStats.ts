import type { Database } from '../engine/readModel.ts'

export interface WorkFigures {
  readonly videos: number
  readonly duration_ms: number
  readonly bytes: number
}

/** Returns the number, total duration and total size of a user's finished videos. */
export async function readWorkStats(database: Database, userId: string): Promise<WorkFigures> {
  const [row] = await database.em.fork().execute<WorkFigures[]>(
    `select count(*)::int as videos, coalesce(sum(video_duration_ms), 0)::float as duration_ms,
       coalesce(sum(video_size), 0)::float as bytes
     from video_task where user_id = ? and status = 'Success'`,
    [userId],
  )
  return row!
}
