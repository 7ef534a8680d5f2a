import { type CreditEntryWithBalance, readCreditEntries } from '#projections/credits/readCreditEntries.ts'
import { csvLine } from '../kernel/http/csv.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import { instant } from '../kernel/http/instant.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import { type CreditEntry, history, historyCsv } from './contract.ts'

const ROWS_AT_ONCE = 1_000

type Film = NonNullable<CreditEntry['film']>

const view = (
  { task_id, lot_id, user_id: _, revision: __, ...row }: CreditEntryWithBalance,
  film?: Film,
): CreditEntry => ({
  ...row,
  created_at: instant(row.created_at),
  ...(task_id === null ? {} : { task_id }),
  ...(film ? { film } : {}),
  ...(lot_id === null ? {} : { lot_id }),
})

const COLUMNS = ['created_at', 'kind', 'amount', 'balance_after', 'reason', 'task_id', 'lot_id'] as const

const line = (row: CreditEntryWithBalance) => {
  const shown = { ...row, created_at: instant(row.created_at) }
  return csvLine(COLUMNS.map((column) => shown[column]))
}

interface CreditRoutes {
  readonly database: Database
  /** Returns the user's films among these. */
  readonly filmsOf: (userId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, Film>>
}

export function serveCredits(serve: Serve, { database, filmsOf }: CreditRoutes): void {
  serve(history, async ({ userId, query }) => {
    const { entries, total } = await readCreditEntries(database, userId, { page: query.page, perPage: query.per_page })
    const films = await filmsOf(
      userId,
      entries.flatMap(({ task_id }) => task_id ?? []),
    )
    return { entries: entries.map((entry) => view(entry, films.get(entry.task_id ?? ''))), total }
  })

  serve(historyCsv, async ({ userId, ctx }) => {
    const lines = [csvLine(COLUMNS)]
    for (let page = 1, listed = Number.POSITIVE_INFINITY; ; page++) {
      const { entries } = await readCreditEntries(database, userId, { page, perPage: ROWS_AT_ONCE })
      // Entries that are added in between move those of the page before to this one.
      lines.push(...entries.filter(({ revision }) => revision < listed).map(line))
      listed = entries.at(-1)?.revision ?? listed
      if (entries.length < ROWS_AT_ONCE) break
    }
    ctx.type = 'text/csv; charset=utf-8'
    ctx.attachment('kinora-credits.csv')
    ctx.body = lines.join('')
    return undefined
  })
}
