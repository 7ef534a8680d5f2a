import type { Database } from '#backend/kernel/postgres/query.ts'
import { query, queryOne } from '#backend/kernel/postgres/query.ts'
import { type LocalDays, localDays, SPAN } from '../engine/queryPage.ts'

interface OpenTasks {
  readonly waiting: number
  readonly processing: number
  /** Creation time of the oldest waiting task, in epoch milliseconds; null if none is waiting. */
  readonly oldest: number | null
  readonly stuck: readonly { task_id: string; status: string; since: string }[]
}

/** Counts open tasks, and lists up to 100 that began to wait or render before the given instants. */
export const readOpenTasks = (database: Database, stuckBefore: { waiting: Date; made: Date }) =>
  queryOne<OpenTasks>(
    database,
    `with open as materialized (
       select id, status, created_at, started_at, status in ('Preparing', 'Queueing') as waits
       from video_task where status not in ('Success', 'Fail'))
     select count(*) filter (where waits)::int as waiting, count(*) filter (where not waits)::int as processing,
       (1000 * extract(epoch from min(created_at) filter (where waits)))::float as oldest,
       (select coalesce(json_agg(s), '[]') from (
          select id as task_id, status, coalesce(started_at, created_at) as since from open
          where case when waits then created_at < $1 else coalesce(started_at, created_at) < $2 end
          order by since limit 100) s) as stuck
     from open`,
    [stuckBefore.waiting, stuckBefore.made],
  )

/** Counts the tasks that ended in a period, by error code, which is null for delivered videos. */
export const readOutcomes = (database: Database, days: LocalDays) =>
  query<{ code: string | null; count: number }>(
    database,
    `select error_code as code, count(*)::int as count from task_outcome, ${SPAN}
     where ended_at >= begins and ended_at < ends group by error_code order by count desc, code`,
    localDays(days),
  )

interface FailedTask {
  readonly task_id: string
  readonly engine: string | null
  readonly engine_model: string | null
  readonly code: string
  readonly detail: string
  readonly at: string
}

/** Returns the latest 20 failures of a period that their users did not cause, of tasks that are not deleted. */
export const readLatestFailures = (database: Database, days: LocalDays) =>
  query<FailedTask>(
    database,
    `select t.id as task_id, t.engine, t.engine_model, t.error_code as code, coalesce(t.error_detail, '') as detail,
       o.ended_at as at
     from task_outcome o join video_task t on t.id = o.id, ${SPAN}
     where o.ended_at >= begins and o.ended_at < ends and t.error_code <> 'cancelled'
     order by o.ended_at desc, o.id desc limit 20`,
    localDays(days),
  )

/** Counts the tasks that ended since an instant, and the failures that the user or the content did not cause. */
export const readOutcomesSince = (database: Database, since: Date) =>
  queryOne<{ videos: number; failed: number }>(
    database,
    `select count(*)::int as videos,
       count(*) filter (where error_code not in ('content_refused', 'cancelled'))::int as failed
     from task_outcome where ended_at >= $1`,
    [since],
  )

/** Counts the clips delivered in a period, by cost. */
export const readDelivered = (database: Database, days: LocalDays) =>
  query<{ cents: number | null; clips: number }>(
    database,
    `select cents, count(*)::int as clips from task_outcome, ${SPAN}
     where ended_at >= begins and ended_at < ends and error_code is null group by cents`,
    localDays(days),
  )

/** Export of a period's failures by error code. Parameters: first day, last day, time zone. */
export const FAILURES_FILE = {
  columns: ['code', 'count'],
  sql: `select error_code, count(*)::int from task_outcome
    where ended_at >= $1::date::timestamp at time zone $3::text
      and ended_at < ($2::date + 1)::timestamp at time zone $3::text and error_code is not null
    group by error_code order by 2 desc, 1`,
} as const

interface OpenTaskCounts {
  readonly statuses: readonly { readonly status: string; readonly count: number }[]
  readonly stuck: number
  /** Failed tasks whose video the provider may still deliver. */
  readonly late: number
}

/** Counts open tasks by status, and those that started or began to wait before an instant and still have not ended. */
export const readOpenTaskCounts = (database: Database, stuckBefore: { started: Date; waiting: Date }) =>
  queryOne<OpenTaskCounts>(
    database,
    `with open as materialized (
       select v.status, v.started_at, v.created_at from open_task o join video_task v using (id))
     select (select coalesce(json_agg(t), '[]') from (
         select status, count(*)::int as count from open group by status) t) as statuses,
       (select count(*)::int from open where started_at < $1 or started_at is null and created_at < $2) as stuck,
       (select count(*)::int from late_render) as late`,
    [stuckBefore.started, stuckBefore.waiting],
  )

/** Counts the tasks whose workflow has not started. `since`: when the oldest was submitted, in epoch seconds. */
export const readUnstarted = (database: Database) =>
  queryOne<{ count: number; since: number | null }>(
    database,
    `select count(unstarted_since)::int as count, extract(epoch from min(unstarted_since))::float as since from open_task`,
  )
