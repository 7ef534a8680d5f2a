import type { Database } from '#backend/kernel/postgres/query.ts'
import { query, queryOne } from '#backend/kernel/postgres/query.ts'

type Kind = Readonly<{ resolution: string; duration: number }>
interface Running extends Kind {
  readonly started_at: string | null
}
interface Open extends Running {
  readonly id: string
  readonly status: string
  /** Position in the queue, starting at 1; null while rendering. */
  readonly place: number | null
  readonly percent: number | null
  /** Unstarted tasks up to and including this one; 0 if its workflow has started. */
  readonly unstarted: number
  /** When the oldest of them was submitted. */
  readonly unstarted_since: string | null
}

/** Returns the queue as a user sees it: the number of waiting tasks, the tasks being rendered, and the user's open tasks. */
export const readQueue = (database: Database, userId: string) =>
  queryOne<{ waiting: number; running: Running[]; own: Open[] }>(
    database,
    `with open as (
       select v.*, case when status in ('Preparing', 'Queueing') then
         row_number() over (partition by status in ('Preparing', 'Queueing') order by v.priority, created_at, id) end as place,
         case when o.unstarted_since is null then 0 else count(o.unstarted_since) over ahead end as unstarted,
         min(o.unstarted_since) over ahead as unstarted_since
       from video_task v left join open_task o using (id) where status not in ('Success', 'Fail')
       window ahead as (order by v.priority, created_at, id))
     select (select count(place)::int from open) as waiting,
       (select coalesce(jsonb_agg(jsonb_build_object(
          'started_at', started_at, 'resolution', resolution, 'duration', duration)), '[]')
        from open where place is null) as running,
       (select coalesce(jsonb_agg(jsonb_build_object(
          'id', o.id, 'status', status, 'place', place, 'started_at', started_at, 'percent', p.percent,
          'unstarted', unstarted, 'unstarted_since', unstarted_since, 'resolution', resolution, 'duration', duration) order by o.created_at, o.id), '[]')
        from open o left join render_progress p on p.task_id = o.id where user_id = $1) as own`,
    [userId],
  )

/** Returns the median render time in milliseconds of the last 200 videos, by resolution and duration. */
export const readPace = (database: Database) =>
  query<Kind & { ms: number }>(
    database,
    `select resolution, duration,
       (1000 * percentile_cont(0.5) within group (order by extract(epoch from finished_at - started_at)))::int as ms
     from (select resolution, duration, started_at, finished_at from video_task
           where status = 'Success' and started_at is not null and error_code is null and credits_consumed > 0
           order by finished_at desc limit 200) latest
     group by resolution, duration`,
  )
