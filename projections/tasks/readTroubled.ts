import type { Database } from '#backend/kernel/postgres/query.ts'
import { query } from '#backend/kernel/postgres/query.ts'

interface TroubledTask {
  readonly id: string
  readonly user_id: string
  readonly credits: number
  readonly engine: string | null
  /** Null if it is stuck. */
  readonly error_code: string | null
  readonly created_at: string
}

/** Returns up to 2,000 videos that are stuck, or failed since an instant for no reason of their owner, oldest first. */
export const readTroubled = (database: Database, before: { waiting: Date; made: Date }, failedSince: Date) =>
  query<TroubledTask>(
    database,
    `select id, user_id, credits, engine, error_code, created_at from (
       (select id, user_id, credits, engine, null as error_code, created_at from video_task
        where status not in ('Success', 'Fail')
          and case when status in ('Preparing', 'Queueing') then created_at < $1
              else coalesce(started_at, created_at) < $2 end
        order by created_at limit 1000)
       union all
       (select id, user_id, credits, engine, error_code, created_at from video_task
        where status = 'Fail' and finished_at >= $3 and error_code not in ('cancelled', 'content_refused')
        order by finished_at desc limit 1000)) troubled
     order by created_at, id`,
    [before.waiting, before.made, failedSince],
  )
