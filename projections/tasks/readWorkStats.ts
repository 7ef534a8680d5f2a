import type { Database } from '../engine/readModel.ts'

export interface WorkFigures {
  readonly videos: number
  readonly duration_ms: number
  readonly bytes: number
  readonly spent: number
  readonly spent_since: number
}

/** Figures about a user's finished videos, and credits spent in all and since an instant. */
export async function readWorkStats(database: Database, userId: string, since: string): Promise<WorkFigures> {
  const [row] = await database.em.fork().execute<WorkFigures[]>(
    `select works.*, credits.* from
       (select count(*)::int as videos, coalesce(sum(video_duration_ms), 0)::float as duration_ms,
          coalesce(sum(video_size), 0)::float as bytes
        from video_task where user_id = ? and status = 'Success') works,
       (select coalesce(-sum(amount), 0)::int as spent,
          coalesce(-sum(amount) filter (where created_at >= ?), 0)::int as spent_since
        from credit_entry where user_id = ? and kind = 'spend') credits`,
    [userId, since, userId],
  )
  return row!
}
