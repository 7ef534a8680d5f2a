import { type CreditEntryWithBalance, readCreditEntries } from '#projections/credits/readCreditEntries.ts'
import type { Database } from '../database/orm.ts'
import type { Serve } from '../http/endpoint.ts'
import { instant } from '../http/instant.ts'
import { type CreditEntry, history, historyCsv } from './contract.ts'

const ROWS_AT_ONCE = 1_000

const view = ({ task_id, lot_id, user_id: _, revision: __, ...row }: CreditEntryWithBalance): CreditEntry => ({
  ...row,
  created_at: instant(row.created_at),
  ...(task_id === null ? {} : { task_id }),
  ...(lot_id === null ? {} : { lot_id }),
})

const COLUMNS = ['created_at', 'kind', 'amount', 'balance_after', 'reason', 'task_id', 'lot_id'] as const

/** A field of RFC 4180. What a spreadsheet would take for a formula is kept from being one. */
function field(value: string | number | null): string {
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value ?? '') ? `'${value}` : (value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const line = (row: CreditEntryWithBalance) => {
  const shown = { ...row, created_at: instant(row.created_at) }
  return COLUMNS.map((column) => field(shown[column])).join(',')
}

export function serveCredits(serve: Serve, { database }: { readonly database: Database }): void {
  serve(history, async ({ userId, query }) => {
    const { entries, total } = await readCreditEntries(database, userId, { page: query.page, perPage: query.per_page })
    return { entries: entries.map(view), total }
  })

  serve(historyCsv, async ({ userId, ctx }) => {
    const lines = [COLUMNS.join(',')]
    for (let page = 1; ; page++) {
      const { entries } = await readCreditEntries(database, userId, { page, perPage: ROWS_AT_ONCE })
      lines.push(...entries.map(line))
      if (entries.length < ROWS_AT_ONCE) break
    }
    ctx.type = 'text/csv; charset=utf-8'
    ctx.attachment('kinora-credits.csv')
    ctx.body = `${lines.join('\r\n')}\r\n`
    return undefined
  })
}
