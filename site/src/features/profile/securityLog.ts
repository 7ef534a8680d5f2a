import { type SecurityRecord, securityRecords } from '#backend/accounts/contract.ts'
import { call } from '../../api/api.ts'
import { pagedList } from '../../ui/lists/pagedList.ts'

const PER_PAGE = 10

export const securityLog = pagedList<SecurityRecord>(PER_PAGE, async (page) => {
  const { records, total } = await call(securityRecords, { query: { page, per_page: PER_PAGE } })
  return { items: records, total }
})
