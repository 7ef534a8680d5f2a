import { type Database, queryOne } from '../engine/query.ts'

/** Counts the users with an agreement that has not ended. */
export async function readOpenSubscriptionCount(database: Database): Promise<number> {
  const sql = `select count(*)::int as count from current_subscription where unclosed <> '[]'`
  return (await queryOne<{ count: number }>(database, sql)).count
}
