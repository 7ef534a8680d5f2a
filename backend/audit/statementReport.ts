import { csvLine } from '../kernel/http/csv.ts'
import type { Statement } from './statement.ts'
import { table } from './textTable.ts'

const COLUMNS = ['at', 'revision', 'kind', 'amount', 'balance', 'reason', 'actor', 'taskId', 'lots'] as const
const CSV_COLUMNS = ['at', 'revision', 'eventId', ...COLUMNS.slice(2)] as const

/** Formats a statement as text. */
export function statementReport({ userId, at, spendable, held, owed, lots, from, to, movements }: Statement): string {
  return [
    `Account ${userId} at ${at}: ${spendable} credits can be spent, ${held} are held, ${owed} are owed`,
    table(
      ['Lot', 'Source', 'Reference', 'Granted', 'Left', 'Expires', 'State'],
      // The fields of a lot are in column order.
      lots.map((lot) => Object.values({ ...lot, expiresAt: lot.expiresAt ?? 'never' })),
    ),
    `Movements ${from === null ? '' : `from ${from} `}to ${to}`,
    table(
      ['Time', 'Revision', 'Kind', 'Amount', 'Balance', 'Reason', 'Actor', 'Task', 'Lots'],
      movements.map((movement) => COLUMNS.map((column) => movement[column])),
    ),
  ].join('\n\n')
}

/** Formats the movements as CSV (RFC 4180), without a trailing line break. */
export function statementCsv({ movements }: Statement): string {
  const rows = movements.map((movement) => CSV_COLUMNS.map((column) => movement[column]))
  return [CSV_COLUMNS, ...rows].map(csvLine).join('').trimEnd()
}
