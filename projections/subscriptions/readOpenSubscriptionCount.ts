import type { Database } from '../engine/readModel.ts'

/** Counts the users with an agreement that has not ended. */
export async function readOpenSubscriptionCount(database: Database): Promise<number> {
  const [row] = await database.em
    .fork()
    .execute<{ count: number }[]>(`select count(*)::int as count from current_subscription where unclosed <> '[]'`)
  return row!.count
}
