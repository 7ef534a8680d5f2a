import type { Database } from '../engine/readModel.ts'
import { type CreditBalanceRow, creditFigures } from './creditBalance.ts'

/** Credits a user can spend at an instant, and those used: spent, or set aside for open tasks. */
export async function readCredits(database: Database, userId: string, at: string) {
  const [found] = await database.em
    .fork()
    .execute<{ row: CreditBalanceRow }[]>('select to_jsonb(t) as row from credit_balance t where id = ?', [userId])
  return creditFigures(found?.row, at)
}
