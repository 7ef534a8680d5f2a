import type { Database } from '../engine/readModel.ts'

/** Returns the number of open holds, of those made before an instant, and when the oldest was made, in epoch seconds. */
export async function readOpenHolds(database: Database, before: Date) {
  const [row] = await database.em.fork().execute<{ count: number; old: number; oldestAt: number | null }[]>(
    `select count(*)::int as count, (count(*) filter (where held_at < ?))::int as old,
       extract(epoch from min(held_at))::float8 as "oldestAt" from open_hold`,
    [before],
  )
  return row!
}
