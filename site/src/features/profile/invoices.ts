/** What the user has paid. */
import { type Invoice, invoices } from '#backend/subscriptions/contract.ts'
import { call } from '../../api/api.ts'
import { pagedList } from '../../ui/pagedList.ts'

const PER_PAGE = 8
/** As many as the API answers at once. */
const MOST = 100

export const invoiceList = pagedList<Invoice>(PER_PAGE, async (page) => {
  const answer = await call(invoices, { query: { page, per_page: PER_PAGE } })
  return { items: answer.invoices, total: answer.total }
})

/** One invoice of the user's; undefined: there is none under this id. @throws ApiError */
export async function findInvoice(id: string): Promise<Invoice | undefined> {
  for (let page = 1; ; page++) {
    const answer = await call(invoices, { query: { page, per_page: MOST } })
    const found = answer.invoices.find((invoice) => invoice.id === id)
    if (found || page * MOST >= answer.total) return found
  }
}
