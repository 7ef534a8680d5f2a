import { type Database, query } from '../engine/query.ts'

/** Returns up to 500 holds made before an instant, oldest first, without those of the given tasks. */
export const readOldHolds = (database: Database, before: Date, withoutTasks: readonly string[]) =>
  query<{ taskId: string; userId: string }>(
    database,
    `select id as "taskId", user_id as "userId" from open_hold where held_at < :before
       and id not in (select value::uuid from jsonb_array_elements_text(:tasks::jsonb)) order by held_at limit 500`,
    { before, tasks: JSON.stringify(withoutTasks) },
  )
