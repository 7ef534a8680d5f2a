import { CREDIT_ACCOUNT, type CreditAccountEvent } from '../../credits/events.ts'
import type { EventStore, Stored } from '../../kernel/eventsourcing/eventStore.port.ts'
import { upcast } from '../../kernel/eventsourcing/pure/eventSchemas.ts'
import { payerOf, VIDEO_TASK, type VideoTaskEvent } from '../../tasks/events.ts'
import { LEDGER_EVENTS, type LedgerEvent } from '../ledgerEvents.ts'

type Facts = Record<string, string | number | null>
type FactsOf = { readonly [T in LedgerEvent['type']]?: (data: Extract<LedgerEvent, { type: T }>['data']) => Facts }

const sum = (parts: readonly { readonly amount: number }[]) => parts.reduce((total, { amount }) => total + amount, 0)

/** The events of a charge that its receipt lists, and what it says of each. Nothing in it names a user. */
const FACTS: FactsOf = {
  CreditsHeld: ({ parts }) => ({ credits: sum(parts) }),
  VideoTaskSubmitted: ({ model, taskType, resolution, duration, credits }) => ({
    ...{ model, task_type: taskType, resolution, duration, credits },
  }),
  VideoRenderRequested: ({ provider, engineModel = null }) => ({ engine: provider, engine_model: engineModel }),
  VideoTaskSucceeded: ({ file }) => ({ ...file }),
  VideoTaskRecovered: ({ file }) => ({ ...file }),
  VideoTaskFailed: ({ code }) => ({ code }),
  VideoTaskAbandoned: () => ({}),
  VideoTaskDeleted: () => ({}),
  CreditsCaptured: () => ({}),
  CreditsReleased: ({ parts, renewed, reason }) => ({ reason, credits: sum(parts) + (renewed?.amount ?? 0) }),
}

/** Returns what a receipt says of an event; undefined if it does not list it. @throws UnknownEvent */
export function factsOf(event: Stored<LedgerEvent>): Facts | undefined {
  const { type, data } = upcast(LEDGER_EVENTS, event)
  return (FACTS[type] as ((data: object) => Facts) | undefined)?.(data)
}

export interface Charge {
  readonly userId: string
  readonly credits: number
  readonly outcome: 'held' | 'captured' | 'released'
  readonly hold: Stored<CreditAccountEvent<'CreditsHeld'>>
  /** The task's events and those of its hold as stored, in log order. */
  readonly events: readonly Stored<LedgerEvent>[]
}

/** Finds a hold in a read model, which may lack it. */
export type FindHold = (taskId: string) => Promise<{ user_id: string; revision: number } | undefined>

/** Reads what was held for a task from the log. Returns undefined if nothing was. */
export async function readHeld(
  store: EventStore,
  findHold: FindHold,
  taskId: string,
): Promise<Pick<Charge, 'hold' | 'credits'> | undefined> {
  const found = await findHold(taskId)
  if (found) {
    const account = store.readStream<CreditAccountEvent>(`${CREDIT_ACCOUNT}-${found.user_id}`, found.revision)
    for await (const event of account)
      if (event.type === 'CreditsHeld' && event.data.holdId === taskId)
        return { hold: event as Charge['hold'], credits: sum(event.data.parts) }
      else break
  }
  // The read model may be behind.
  return readCharge(store, async () => found, taskId)
}

/** Reads the charge of a task from the log. Returns undefined if nothing was held for it. */
export async function readCharge(store: EventStore, findHold: FindHold, taskId: string): Promise<Charge | undefined> {
  const task = await Array.fromAsync(store.readStream<VideoTaskEvent>(`${VIDEO_TASK}-${taskId}`))
  const [submitted] = task
  const found = await findHold(taskId)
  const userId = submitted?.type === 'VideoTaskSubmitted' ? payerOf(submitted.data) : found?.user_id
  if (userId === undefined) return undefined
  const booked: Stored<CreditAccountEvent>[] = []
  let hold: Charge['hold'] | undefined
  const account = `${CREDIT_ACCOUNT}-${userId}`
  for await (const event of store.readStream<CreditAccountEvent>(account, found?.revision ?? 0)) {
    if (!('holdId' in event.data) || event.data.holdId !== taskId) continue
    booked.push(event)
    if (event.type !== 'CreditsHeld') break
    hold = event as Charge['hold']
  }
  if (!hold) return undefined
  const end = booked.at(-1)?.type
  const outcome = end === 'CreditsCaptured' ? 'captured' : end === 'CreditsReleased' ? 'released' : 'held'
  const events = [...task, ...booked].toSorted((a, b) => (a.position < b.position ? -1 : 1))
  return { userId, credits: sum(hold.data.parts), outcome, hold, events }
}
