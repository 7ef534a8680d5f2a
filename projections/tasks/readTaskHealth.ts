import { type LocalDays, SPAN } from '../engine/localDays.ts'
import type { Database } from '../engine/readModel.ts'

/** How many tasks wait and are made, since when, and those that have been open since before an instant. */
export async function readOpenTasks(database: Database, stuckBefore: { waiting: Date; made: Date }) {
  const [row] = await database.em.fork().execute<
    {
      waiting: number
      processing: number
      /** Epoch milliseconds. */
      oldest: number | null
      stuck: { task_id: string; status: string; since: string }[]
    }[]
  >(
    `with open as materialized (
       select id, status, created_at, started_at, status in ('Preparing', 'Queueing') as waits
       from video_task where status not in ('Success', 'Fail'))
     select count(*) filter (where waits)::int as waiting, count(*) filter (where not waits)::int as processing,
       (1000 * extract(epoch from min(created_at) filter (where waits)))::float as oldest,
       (select coalesce(json_agg(s), '[]') from (
          select id as task_id, status, coalesce(started_at, created_at) as since from open
          where case when waits then created_at < ? else coalesce(started_at, created_at) < ? end
          order by since limit 100) s) as stuck
     from open`,
    [stuckBefore.waiting, stuckBefore.made],
  )
  return row!
}

/** How many tasks ended within a period, by what kept them from success; null: nothing did. */
export async function readOutcomes(database: Database, { from, to, timeZone }: LocalDays) {
  return database.em.fork().execute<{ code: string | null; count: number }[]>(
    `select error_code as code, count(*)::int as count from task_outcome, ${SPAN}
     where ended_at >= begins and ended_at < ends group by error_code order by count desc, code`,
    [from, to, timeZone],
  )
}

/** How many clips of each kind were delivered within a period. */
export async function readDelivered(database: Database, { from, to, timeZone }: LocalDays) {
  return database.em.fork().execute<{ resolution: string; duration: number; clips: number }[]>(
    `select resolution, duration, count(*)::int as clips from task_outcome, ${SPAN}
     where ended_at >= begins and ended_at < ends and error_code is null group by resolution, duration`,
    [from, to, timeZone],
  )
}

/** Failures by code as a file. Parameters: $1 and $2 the first and last day, $3 the time zone. */
export const FAILURES_FILE = {
  columns: ['code', 'count'],
  sql: `select error_code, count(*)::int from task_outcome
    where ended_at >= $1::date::timestamp at time zone $3::text
      and ended_at < ($2::date + 1)::timestamp at time zone $3::text and error_code is not null
    group by error_code order by 2 desc, 1`,
} as const
