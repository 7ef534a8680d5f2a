import { type CreditEntryWithBalance, readCreditEntries } from '#projections/credits/readCreditEntries.ts'
import { csvLine } from '../kernel/http/csv.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import { instant } from '../kernel/http/instant.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import { type CreditEntry, history, historyCsv } from './contract.ts'

const ROWS_AT_ONCE = 1_000

type Film = NonNullable<CreditEntry['film']>

const view = (
  { task_id, lot_id, user_id: _, revision: __, spent_by: ___, ...row }: CreditEntryWithBalance,
  film?: Film,
  by?: CreditEntry['by'],
): CreditEntry => ({
  ...row,
  created_at: instant(row.created_at),
  ...(task_id === null ? {} : { task_id }),
  ...(film ? { film } : {}),
  ...(by ? { by } : {}),
  ...(lot_id === null ? {} : { lot_id }),
})

const COLUMNS = ['created_at', 'kind', 'amount', 'balance_after', 'reason', 'task_id', 'lot_id', 'by'] as const

const line = (row: CreditEntryWithBalance, by = '') => {
  const shown = { ...row, created_at: instant(row.created_at), by }
  return csvLine(COLUMNS.map((column) => shown[column]))
}

interface CreditRoutes {
  readonly database: Database
  /** Returns the user's films among these. */
  readonly filmsOf: (userId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, Film>>
  /** Returns whose account a team has. @throws Rejection not_in_team */
  readonly ownerOf: (teamId: string, userId: string) => Promise<string>
  /** Returns the name of a user; undefined if the account was deleted. */
  readonly nameOf: (userId: string) => Promise<string | undefined>
}

export function serveCredits(serve: Serve, { database, filmsOf, ownerOf, nameOf }: CreditRoutes): void {
  /** Returns the account to read, and the member whose movements alone are shown; undefined for all. */
  const accountOf = async (userId: string, teamId: string | undefined) => {
    const account = teamId === undefined ? userId : await ownerOf(teamId, userId)
    return { account, member: account === userId ? undefined : userId }
  }
  /** Returns the names of the members whose films are among the entries. */
  const namesOf = async (entries: readonly CreditEntryWithBalance[]) => {
    const ids = [...new Set(entries.flatMap(({ spent_by }) => spent_by ?? []))]
    return new Map(await Promise.all(ids.map(async (id) => [id, (await nameOf(id)) ?? ''] as const)))
  }

  serve(history, async ({ userId, query }) => {
    const { account, member } = await accountOf(userId, query.team_id)
    const page = { page: query.page, perPage: query.per_page }
    const { entries, total } = await readCreditEntries(database, account, page, member)
    const [names, films] = await Promise.all([
      namesOf(entries),
      filmsOf(
        userId,
        entries.flatMap(({ task_id }) => task_id ?? []),
      ),
    ])
    const shown = entries.map((entry) => {
      const by = entry.spent_by === null ? undefined : { id: entry.spent_by, name: names.get(entry.spent_by) ?? '' }
      return view(entry, films.get(entry.task_id ?? ''), by)
    })
    return { entries: shown, total }
  })

  serve(historyCsv, async ({ userId, query, ctx }) => {
    const { account, member } = await accountOf(userId, query.team_id)
    const lines = [csvLine(COLUMNS)]
    for (let page = 1, listed = Number.POSITIVE_INFINITY; ; page++) {
      const { entries } = await readCreditEntries(database, account, { page, perPage: ROWS_AT_ONCE }, member)
      const names = await namesOf(entries)
      // Entries that are added in between move those of the page before to this one.
      const fresh = entries.filter(({ revision }) => revision < listed)
      lines.push(...fresh.map((entry) => line(entry, names.get(entry.spent_by ?? ''))))
      listed = entries.at(-1)?.revision ?? listed
      if (entries.length < ROWS_AT_ONCE) break
    }
    ctx.type = 'text/csv; charset=utf-8'
    ctx.attachment('kinora-credits.csv')
    ctx.body = lines.join('')
    return undefined
  })
}
