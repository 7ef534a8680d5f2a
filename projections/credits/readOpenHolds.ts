import { type Database, queryOne } from '../engine/query.ts'

/** Returns the number of open holds, of those made before an instant, and when the oldest was made, in epoch seconds. */
export const readOpenHolds = (database: Database, before: Date) =>
  queryOne<{ count: number; old: number; oldestAt: number | null }>(
    database,
    `select count(*)::int as count, (count(*) filter (where held_at < :before))::int as old,
       extract(epoch from min(held_at))::float8 as "oldestAt" from open_hold`,
    { before },
  )
