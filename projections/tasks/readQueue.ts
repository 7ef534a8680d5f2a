import type { Database } from '../engine/readModel.ts'

interface Kind {
  readonly resolution: string
  readonly duration: number
}
interface Running extends Kind {
  readonly started_at: string | null
}
interface Open extends Running {
  readonly id: string
  readonly status: string
  /** From 1; null for one that does not wait any more. */
  readonly place: number | null
  readonly percent: number | null
}
interface Pace extends Kind {
  readonly ms: number
}

/** The queue as one user sees it: how many wait in all, what is being made, and the user's own open tasks. */
export async function readQueue(database: Database, userId: string) {
  const em = database.em.fork()
  const [row] = await em.execute<{ waiting: number; running: Running[]; own: Open[] }[]>(
    `with open as (
       select *, case when status in ('Preparing', 'Queueing') then
         row_number() over (partition by status in ('Preparing', 'Queueing') order by priority, created_at, id) end as place
       from video_task where status not in ('Success', 'Fail'))
     select (select count(place)::int from open) as waiting,
       (select coalesce(jsonb_agg(jsonb_build_object(
          'started_at', started_at, 'resolution', resolution, 'duration', duration)), '[]')
        from open where place is null) as running,
       (select coalesce(jsonb_agg(jsonb_build_object(
          'id', o.id, 'status', status, 'place', place, 'started_at', started_at, 'percent', p.percent,
          'resolution', resolution, 'duration', duration) order by o.created_at, o.id), '[]')
        from open o left join render_progress p on p.task_id = o.id where user_id = ?) as own`,
    [userId],
  )
  return row!
}

/** How long the latest videos took from their start to the finished file: the median of each kind, in milliseconds. */
export async function readPace(database: Database): Promise<Pace[]> {
  return database.em.fork().execute<Pace[]>(
    `select resolution, duration,
       (1000 * percentile_cont(0.5) within group (order by extract(epoch from finished_at - started_at)))::int as ms
     from (select resolution, duration, started_at, finished_at from video_task
           where status = 'Success' and started_at is not null and error_code is null and credits_consumed > 0
           order by finished_at desc limit 200) latest
     group by resolution, duration`,
  )
}
