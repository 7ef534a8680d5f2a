import { listIdentities, listSessions, me, readNotices, securityRecords } from '#backend/accounts/contract.ts'
import { listKeys } from '#backend/apiKeys/contract.ts'
import { history } from '#backend/credits/contract.ts'
import { billingDetails } from '#backend/invoices/contract.ts'
import { invoices } from '#backend/subscriptions/contract.ts'
import { listMarks, listPictures, listTasks } from '#backend/tasks/contract.ts'
import { listTeams } from '#backend/teams/contract.ts'
import { page as webhooks } from '#backend/webhooks/contract.ts'
import { call } from '../../api/api.ts'
import { readCurrent } from '../../api/plans/subscription.ts'

/** The most that a list returns at once. */
const PER_PAGE = 100

/** Returns all items of a list that has pages. */
async function all<T>(read: (query: { page: number; per_page: number }) => Promise<readonly [readonly T[], number]>) {
  const found: T[] = []
  for (let page = 1; ; page++) {
    const [items, total] = await read({ page, per_page: PER_PAGE })
    found.push(...items)
    if (items.length < PER_PAGE || found.length >= total) return found
  }
}

/**
 * Returns what the account holds, with the addresses of its files. Secrets are not among it. @throws ApiError
 * See docs/decisions/0101-own-data-by-the-page.md.
 */
export async function readOwnData(): Promise<object> {
  return {
    user: await call(me),
    videos: await all(async (query) => {
      const { tasks, total } = await call(listTasks, { query })
      return [tasks, total]
    }),
    ...(await call(listMarks)),
    ...(await call(listPictures)),
    credits: await all(async (query) => {
      const { entries, total } = await call(history, { query })
      return [entries, total]
    }),
    subscription: await readCurrent(),
    invoices: await all(async (query) => {
      const { invoices: found, total } = await call(invoices, { query })
      return [found, total]
    }),
    billing_details: await call(billingDetails),
    ...(await call(listTeams)),
    ...(await call(listKeys)),
    webhook_endpoints: (await call(webhooks.list, { query: { limit: PER_PAGE } })).data,
    notices: await call(readNotices),
    sign_ins: await call(listIdentities),
    sessions: await call(listSessions),
    security: await all(async (query) => {
      const { records, total } = await call(securityRecords, { query })
      return [records, total]
    }),
  }
}
