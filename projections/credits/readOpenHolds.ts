import type { Database } from '#backend/kernel/postgres/query.ts'
import { query, queryOne } from '#backend/kernel/postgres/query.ts'

/** Counts all open holds and those made before an instant. `oldestAt` is in epoch seconds; null without open holds. */
export const readOpenHolds = (database: Database, before: Date) =>
  queryOne<{ count: number; old: number; oldestAt: number | null }>(
    database,
    `select count(*)::int as count, (count(*) filter (where held_at < $1))::int as old,
       extract(epoch from min(held_at))::float8 as "oldestAt" from open_hold`,
    [before],
  )

/** Returns up to 500 holds made before an instant, oldest first, excluding those of the given tasks. */
export const readOldHolds = (database: Database, before: Date, withoutTasks: readonly string[]) =>
  query<{ taskId: string; userId: string }>(
    database,
    `select id as "taskId", user_id as "userId" from open_hold where held_at < $1
       and id not in (select value::uuid from jsonb_array_elements_text($2::jsonb)) order by held_at limit 500`,
    [before, JSON.stringify(withoutTasks)],
  )
