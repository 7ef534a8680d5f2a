import { atom } from 'nanostores'
import { type CreditEntry, history, historyCsv } from '#backend/credits/contract.ts'
import { addressOf, call } from '../../api/api.ts'
import { textAt } from '../../i18n/client.ts'
import { pagedList } from '../../ui/lists/pagedList.ts'

const PER_PAGE = 10

/** The team whose account is shown; undefined: the user's own account. */
export const $account = atom<string | undefined>()

export const creditHistory = pagedList<CreditEntry>(PER_PAGE, async (page) => {
  const { entries, total } = await call(history, { query: { page, per_page: PER_PAGE, team_id: $account.get() } })
  return { items: entries, total }
})

/** Shows the account of a team, or the user's own one. */
export function openAccount(team: string | undefined): Promise<void> {
  $account.set(team)
  return creditHistory.openOther()
}

export const csvAddress = (team: string | undefined): string => addressOf(historyCsv.path, {}, { team_id: team })

/** Returns the translation of a reason code, or the text itself if an operator wrote the reason. */
export const reasonText = (reason: string): string => textAt(`credits.reason.${reason}`) ?? reason
