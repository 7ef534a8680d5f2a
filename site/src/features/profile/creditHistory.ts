import { type CreditEntry, history, historyCsv } from '#backend/credits/contract.ts'
import { API_BASE } from '#backend/kernel/http/contract.ts'
import { call } from '../../api/api.ts'
import { textAt } from '../../i18n/client.ts'
import { pagedList } from '../../ui/lists/pagedList.ts'

const PER_PAGE = 10

export const creditHistory = pagedList<CreditEntry>(PER_PAGE, async (page) => {
  const { entries, total } = await call(history, { query: { page, per_page: PER_PAGE } })
  return { items: entries, total }
})

export const csvAddress = API_BASE + historyCsv.path

/** Returns the translation of a reason code, or the text itself if an operator wrote the reason. */
export const reasonText = (reason: string): string => textAt(`credits.reason.${reason}`) ?? reason
