import { readWithoutLot } from '#projections/credits/readCredits.ts'
import { readAllowed } from '../accounts/readUsers.ts'
import { allowanceLot, monthOf } from '../credits/contract.ts'
import type { Context } from './context.ts'

const PAGE = 500
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Yields pages of the ids of users who lack the allowance of the calendar's month. */
export async function* usersWithoutAllowance({ calendar, database, pool }: Context): AsyncGenerator<string[]> {
  const at = new Date(calendar()).toISOString()
  for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
    const userIds: string[] = await readAllowed(pool, `${monthOf(at)}-01T00:00:00Z`, after, PAGE)
    if (userIds.length > 0) yield await readWithoutLot(database, userIds, allowanceLot(at))
    after = userIds.at(-1)
  }
}
