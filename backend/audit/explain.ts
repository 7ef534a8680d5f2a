import type { EventStore, Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import { upcast } from '../kernel/eventsourcing/pure/eventSchemas.ts'
import { VIDEO_TASK, VIDEO_TASK_EVENTS, type VideoTaskEvent } from '../tasks/events.ts'
import { AccountBook } from './accountBook.ts'
import { LEDGER_EVENTS } from './ledgerEvents.ts'
import { readAccount, readLedger } from './readLedger.ts'
import { movementOf } from './statement.ts'
import { table } from './textTable.ts'

/** The history of one charge. */
interface Explanation {
  readonly taskId: string
  readonly userId: string | null
  /** Whole credits. */
  readonly credits: number
  readonly outcome: 'spent' | 'given back' | 'forfeited' | 'held' | 'never held'
  /** The lots that the credits came from, and the origin of each. */
  readonly lots: readonly { readonly lotId: string; readonly amount: number; readonly from: string }[]
  readonly steps: readonly ReturnType<typeof stepOf>[]
}

/** Explains a task's charge from the task's stream and its owner's account. Returns undefined if neither has it. */
export async function explain(store: EventStore, taskId: string): Promise<Explanation | undefined> {
  const stream = store.readStream<VideoTaskEvent>(`${VIDEO_TASK}-${taskId}`)
  const task = await Array.fromAsync(stream, (event) => upcast(VIDEO_TASK_EVENTS, event))
  const userId = userIdOf(task) ?? (await findPayer(store, taskId))
  const steps: { stored: Stored; says: string }[] = task.map((stored) => ({ stored, says: detailsOf(stored) }))
  const book = new AccountBook()
  let lots: Explanation['lots'] = []
  let outcome: Explanation['outcome'] = 'never held'
  let credits = 0
  if (userId !== null)
    for await (const event of readAccount(store, userId)) {
      if ('holdId' in event.data && event.data.holdId === taskId) {
        const held = book.holds.get(taskId)?.balance ?? 0
        const { reason, lots: which } = movementOf(event, held)
        steps.push({ stored: event, says: [reason, which].filter(Boolean).join('; ') })
        if (event.type === 'CreditsHeld') {
          outcome = 'held'
          lots = event.data.parts.map((part) => ({ ...part, from: originOf(book, part.lotId) }))
          credits = lots.reduce((sum, { amount }) => sum + amount, 0)
        } else if (event.type === 'CreditsCaptured') outcome = 'spent'
        else outcome = 'forfeited' in event.data && which === '' ? 'forfeited' : 'given back'
      }
      book.post(event)
    }
  if (steps.length === 0) return undefined
  steps.sort((a, b) => (a.stored.position < b.stored.position ? -1 : 1))
  return { taskId, userId, credits, outcome, lots, steps: steps.map(({ stored, says }) => stepOf(stored, says)) }
}

function userIdOf(task: readonly VideoTaskEvent[]): string | null {
  for (const { data } of task) if ('userId' in data) return String(data.userId)
  return null
}

/** Searches the whole log for the hold: a task that was never created has no stream that names its owner. */
async function findPayer(store: EventStore, taskId: string): Promise<string | null> {
  for await (const page of readLedger(store))
    for (const stored of page)
      if (stored.type === 'CreditsHeld') {
        const { holdId, userId } = upcast(LEDGER_EVENTS, stored).data
        if (holdId === taskId) return userId
      }
  return null
}

function originOf(book: AccountBook, lotId: string): string {
  const lot = book.lots.get(lotId)
  return lot ? `${lot.source}${lot.reference === null ? '' : ` ${lot.reference}`}, ${lot.granted} granted` : 'unknown'
}

const HIDDEN = new Set(['taskId', 'userId', 'at', 'encryptedPrompt'])

/** Formats an event's data, except ids and the encrypted prompt. */
function detailsOf({ data }: VideoTaskEvent): string {
  const details = Object.entries(data).filter(([name]) => !HIDDEN.has(name))
  return details
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ')
}

const stepOf = ({ data, created, stream, revision, id, type, meta }: Stored, says: string) => ({
  at: 'at' in data ? String(data.at) : '',
  stored: created.toISOString(),
  stream,
  revision,
  eventId: id,
  type,
  actor: String(meta.actor ?? ''),
  says,
})

/** Formats an explanation as text. */
export function explanationReport({ taskId, userId, credits, outcome, lots, steps }: Explanation): string {
  const rows = lots.map(({ lotId, amount, from }) => [lotId, amount, from])
  return [
    `Task ${taskId} of account ${userId ?? 'unknown'}: ${credits} credits, ${outcome}`,
    ...(rows.length > 0 ? [table(['Lot', 'Credits', 'From'], rows)] : []),
    table(
      ['Time', 'Event', 'Stream', 'Revision', 'Actor', 'Says'],
      steps.map(({ at, type, stream, revision, actor, says }) => [at, type, stream, revision, actor, says]),
    ),
  ].join('\n\n')
}
