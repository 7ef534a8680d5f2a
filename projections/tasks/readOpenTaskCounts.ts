import { type Database, queryOne } from '../engine/query.ts'

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
       (select count(*)::int from open where started_at < :started or started_at is null and created_at < :waiting) as stuck,
       (select count(*)::int from late_render) as late`,
    stuckBefore,
  )
