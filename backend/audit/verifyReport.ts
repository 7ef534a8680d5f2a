import type { Deviation } from './deviation.ts'
import { table } from './textTable.ts'
import type { Verification, Verified } from './verify.ts'

/** Number of deviations in the report; `--json` prints all. */
const PRINTED = 50

export const toVerification = ({ books: _, heads: __, ...verification }: Verified): Verification => verification

/** Formats a verification as text. */
export function verifyReport(found: Verification): string {
  const { events, accounts, streams, seconds, eventsPerSecond, totals, openHolds, readModels, deviations } = found
  const sum = Object.values(totals).reduce((one, other) => one + other, 0)
  const parts = [
    `${events} events in ${streams} streams, ${accounts} accounts; read in ${seconds.log.toFixed(2)} s ` +
      `(${eventsPerSecond} events/s), compared with the read models after ${seconds.all.toFixed(2)} s`,
    table(['Books', 'Credits'], [...Object.entries(totals).map(([name, credits]) => [name, credits]), ['sum', sum]]),
    table(
      ['Read model', 'Rows', 'Up to position'],
      readModels.map(({ table, rows, upTo }) => [table, rows, upTo ?? '–']),
    ),
  ]
  if (openHolds.length > 0)
    parts.push(
      table(
        ['Open hold', 'Credits', 'Age', 'Stream', 'Revision'],
        openHolds.map((hold) => [hold.taskId, hold.credits, age(hold.ageMs), hold.stream, hold.revision]),
      ),
    )
  if (found.files) parts.push(`${found.files.compared} video files have the hash of their delivery.`)
  if (found.sales !== null) parts.push(`${found.sales} sales were compared with those of the payment provider.`)
  if (found.salesUnreached > 0)
    parts.push(`${found.salesUnreached} sales were not compared: their payment provider is not set up.`)
  parts.push(...adjustmentReport(found.adjustments))
  const { grant, take, refund, release_task: released, retry_task: retried, signed, unsigned, actions } = found.desk
  if (grant + take + refund + released + retried > 0)
    parts.push(
      `Operators' actions: ${grant} grants, ${take} takes, ${refund} refunds, ${released} released and ${retried} repeated videos were found as they were ordered.`,
    )
  if (signed + unsigned > 0)
    parts.push(
      `${signed} orders and approvals are signed with passkeys of their operators, ${unsigned} are of operators without one.`,
    )
  if (actions.length > 0) parts.push(orderReport(actions))
  if (found.zeros > 0) parts.push(`${found.zeros} daily zeros were verified.`)
  if (found.salesWaiting.length > 0) parts.push(`${found.salesWaiting.length} sales are waiting for their credits.`)
  for (const { table, incomplete } of readModels)
    if (incomplete !== undefined) parts.push(`${table} was not compared in full: ${incomplete}.`)
  if (found.deviationCount > 0) parts.push(deviationReport(deviations, found.deviationCount))
  else parts.push(found.ok ? 'No deviation.' : 'No deviation in what was compared.')
  return parts.join('\n\n')
}

/** Formats who ordered the last actions. */
function orderReport(actions: Verification['desk']['actions']): string {
  const rows = actions
    .slice(-PRINTED)
    .map((action) => [
      ...[action.kind, action.subject, action.signed ? `${action.operator} (signed)` : action.operator],
      ...[action.approvedBy, action.ended, action.event],
    ])
  const list = table(['Action', 'Subject', 'Ordered by', 'Approved by', 'Ended', 'Event'], rows)
  const earlier = actions.length - rows.length
  return earlier > 0 ? `${list}\n… after ${earlier} earlier actions (--json)` : list
}

function adjustmentReport({ verified, unverified, unsigned, ...at }: Verification['adjustments']): string[] {
  const parts: string[] = []
  if (verified > 0) parts.push(`${verified} adjustments are signed by registered operators.`)
  if (unsigned > 0) {
    const until = at.firstSignedAt ? `before the first signed one of ${at.firstSignedAt}` : 'and none is signed yet'
    parts.push(`${unsigned} adjustments are unsigned, ${until}; the last is of ${at.lastUnsignedAt}.`)
  }
  if (unverified > 0)
    parts.push(`The signatures of ${unverified} adjustments were not verified: no keys were given (--operator-keys).`)
  return parts
}

function deviationReport(deviations: readonly Deviation[], count: number): string {
  const lines = deviations.slice(0, PRINTED).map(({ check, stream, revision, id, position, wrong }) => {
    const place = [
      stream,
      revision === null ? '' : `revision ${revision}`,
      id === null ? '' : `event ${id}`,
      position === null ? '' : `position ${position}`,
    ]
    return `✗ ${check}: ${place.filter(Boolean).join(', ')}\n  ${wrong}`
  })
  if (count > lines.length) lines.push(`… and ${count - lines.length} more (--json)`)
  return `${count} ${count === 1 ? 'deviation' : 'deviations'}:\n${lines.join('\n')}`
}

const age = (ms: number): string =>
  ms < 3_600_000 ? `${Math.floor(ms / 60_000)} min` : `${(ms / 3_600_000).toFixed(1)} h`
