import type { Movement, Statement } from './statement.ts'
import { table } from './textTable.ts'

/** Formats a statement as text. */
export function statementReport({ userId, at, spendable, held, owed, lots, from, to, movements }: Statement): string {
  return [
    `Account ${userId} at ${at}: ${spendable} credits can be spent, ${held} are held, ${owed} are owed`,
    table(
      ['Lot', 'Source', 'Reference', 'Granted', 'Left', 'Expires', 'State'],
      lots.map((lot) => [
        lot.lotId,
        lot.source,
        lot.reference,
        lot.granted,
        lot.left,
        lot.expiresAt ?? 'never',
        lot.state,
      ]),
    ),
    `Movements ${from === null ? '' : `from ${from} `}to ${to}`,
    table(
      ['Time', 'Revision', 'Kind', 'Amount', 'Balance', 'Reason', 'Actor', 'Task', 'Lots'],
      movements.map(({ at, revision, kind, amount, balance, reason, actor, taskId, lots }) => [
        at,
        revision,
        kind,
        amount,
        balance,
        reason,
        actor,
        taskId,
        lots,
      ]),
    ),
  ].join('\n\n')
}

const COLUMNS = [
  'at',
  'revision',
  'eventId',
  'kind',
  'amount',
  'balance',
  'reason',
  'actor',
  'taskId',
  'lots',
] as const satisfies readonly (keyof Movement)[]

/** Formats the movements as CSV (RFC 4180). Texts that a spreadsheet would run as formulas are prefixed with an apostrophe. */
export function statementCsv({ movements }: Statement): string {
  const cell = (value: string | number | null) => {
    const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? '')
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  const rows = movements.map((movement) => COLUMNS.map((column) => cell(movement[column])).join(','))
  return [COLUMNS.join(','), ...rows].join('\r\n')
}
