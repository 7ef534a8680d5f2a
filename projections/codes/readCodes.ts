import type { Database } from '#backend/kernel/postgres/query.ts'
import { query } from '#backend/kernel/postgres/query.ts'
import { type Page, queryPage } from '../engine/queryPage.ts'
import { readSnapshot } from '../engine/readModel.ts'
import type { CreditCodeRow } from './creditCode.ts'
import { openRedemptions } from './openRedemption.ts'

/** Returns one page of codes, newest first, each with the size of its batch, and their total number. */
export const readCodes = (database: Database, page: Page) =>
  queryPage<CreditCodeRow & { batch_size: number }>(
    database,
    {
      columns: '*, (select count(*)::int from credit_code other where other.batch_id = c.batch_id) as batch_size',
      from: 'credit_code c',
      orderBy: 'issued_at desc, id',
    },
    [],
    page,
  )

/** Returns the codes of the batch of a code that are not void; none if there is no such code. */
export const readBatch = (database: Database, codeId: string) =>
  query<Pick<CreditCodeRow, 'id' | 'label' | 'hint'>>(
    database,
    `select id, label, hint from credit_code where voided_at is null
       and batch_id = (select batch_id from credit_code where id = $1)`,
    [codeId],
  )

/** Returns the redemptions whose credits are not granted yet. */
export const readOpenRedemptions = (database: Database) =>
  readSnapshot<Readonly<{ codeId: string; userId: string; credits: number }>>(
    database,
    openRedemptions,
    `json_build_object('codeId', code_id, 'userId', user_id, 'credits', credits)`,
  )
