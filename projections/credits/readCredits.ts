import { type Database, query } from '../engine/query.ts'
import { type CreditBalanceRow, creditFigures } from './creditBalance.ts'

/** Returns the credits that a user can spend at an instant, and those spent or held in the current period. */
export async function readCredits(database: Database, userId: string, at: string) {
  const sql = 'select to_jsonb(t) as row from credit_balance t where id = :userId'
  const [found] = await query<{ row: CreditBalanceRow }>(database, sql, { userId })
  return creditFigures(found?.row, at)
}
