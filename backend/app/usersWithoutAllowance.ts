import { readWithoutLot } from '#projections/credits/readCredits.ts'
import { readAllowed } from '../accounts/readUsers.ts'
import { allowanceLot, monthOf } from '../credits/contract.ts'
import type { Context } from './context.ts'

const PAGE = 500
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Yields pages of the ids of users who lack the allowance of the calendar's month. */
export async function* usersWithoutAllowance({ calendar, database, pool }: Context): AsyncGenerator<string[]> {
  const at = new Date(calendar()).toISOString()
  let userIds = await readAllowed(pool, `${monthOf(at)}-01T00:00:00Z`, FIRST_ID, PAGE)
  while (userIds.length > 0) {
    yield await readWithoutLot(database, userIds, allowanceLot(at))
    userIds = await readAllowed(pool, `${monthOf(at)}-01T00:00:00Z`, userIds.at(-1)!, PAGE)
  }
}
