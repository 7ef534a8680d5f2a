import type { CaseCounts, CaseKind } from '#backend/cases/contract.ts'
import type { Database } from '#backend/kernel/postgres/query.ts'
import { query, queryOne } from '#backend/kernel/postgres/query.ts'
import { type Page, queryPage } from '../engine/queryPage.ts'
import type { DeskCaseRow } from './deskCase.ts'

export interface CaseFilter {
  readonly state: 'open' | 'closed'
  readonly kind: CaseKind | null
  /** Name of the operator who works on them; empty: nobody does; null: anyone. */
  readonly owner: string | null
}

/** Returns one page of cases, and their total number. Those that are due first come first, then the newest. */
export const readCases = (database: Database, { state, kind, owner }: CaseFilter, page: Page) =>
  queryPage<DeskCaseRow>(
    database,
    {
      columns: '*',
      from: `desk_case where (closed_at is null) = $1 and ($2::text is null or kind = $2)
        and ($3::text is null or coalesce(owner, '') = $3)`,
      orderBy: 'due_at nulls last, opened_at desc, id',
    },
    [state === 'open', kind, owner],
    page,
  )

/** Returns a case; undefined if there is none. */
export const readCaseRow = async (database: Database, id: string) =>
  (await query<DeskCaseRow>(database, 'select * from desk_case where id = $1', [id]))[0]

/** Returns how many cases of each kind are open and past their due date. */
export const countCasesByKind = (database: Database, now: Date) =>
  query<{ kind: CaseKind; count: number; overdue: number }>(
    database,
    `select kind, count(*)::int as count, count(*) filter (where due_at < $1)::int as overdue
     from desk_case where closed_at is null group by kind order by overdue desc, count desc, kind`,
    [now],
  )

/** Returns how many cases are open, past their due date, without an owner, and owned by an operator. */
export const countCases = (database: Database, operator: string, now: Date) =>
  queryOne<CaseCounts>(
    database,
    `select count(*)::int as open, count(*) filter (where due_at < $1)::int as overdue,
       count(*) filter (where owner is null)::int as unowned, count(*) filter (where owner = $2)::int as mine
     from desk_case where closed_at is null`,
    [now, operator],
  )
