import { CREDIT_ACCOUNT, CREDIT_ACCOUNT_EVENTS, type CreditAccountEvent } from '../credits/events.ts'
import type { EventStore, GlobalPosition, Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import { upcast } from '../kernel/eventsourcing/pure/eventSchemas.ts'
import { RENDER_LANE, VIDEO_TASK } from '../tasks/events.ts'
import { LEDGER_CATEGORIES, type LedgerEvent } from './ledgerEvents.ts'

/** Events per page: round trips hardly count, and the collector copies few events that are waiting. */
const PAGE = 1_000

/**
 * Categories that the compared read models are built from. Render lanes move no credits and have no hash chain. The most frequent
 * come first, because PostgreSQL compares each event with one after the other.
 */
export const AUDITED_CATEGORIES = [...new Set([VIDEO_TASK, CREDIT_ACCOUNT, ...LEDGER_CATEGORIES, RENDER_LANE])]

/** Returns whether a stream belongs to the ledger, among those of {@link AUDITED_CATEGORIES}. */
export const isOfLedger = (stream: string): boolean => !stream.startsWith(`${RENDER_LANE}-`)

interface Range {
  /** Exclusive start position; the start of the log by default. */
  readonly from?: GlobalPosition | undefined
  readonly page?: number
  /** Those of the ledger by default. */
  readonly categories?: readonly string[]
}

/** Yields all events of the categories as stored, in log order, up to the current end. */
export async function* readLedger(
  store: EventStore,
  { from, page = PAGE, categories = LEDGER_CATEGORIES }: Range = {},
): AsyncGenerator<readonly Stored<LedgerEvent>[]> {
  const end = new AbortController()
  const [first, ...others] = categories.map((category) => `${category}-`)
  const streamPrefixes: [string, ...string[]] = [first!, ...others]
  const options = { from, streamPrefixes, maxBatch: page, signal: end.signal, onLive: () => end.abort() }
  const batches = store.subscribeAll<LedgerEvent>(options)[Symbol.asyncIterator]()
  try {
    // The next page is fetched while this one is processed.
    for (let next = batches.next(); ; ) {
      const { value, done } = await next
      if (done) return
      next = value.live ? Promise.resolve({ value: undefined, done: true }) : batches.next()
      yield value.events
    }
  } finally {
    end.abort()
    await batches.return?.()
  }
}

/** Yields the events of a credit account. @throws UnknownEvent */
export async function* readAccount(store: EventStore, userId: string): AsyncGenerator<Stored<CreditAccountEvent>> {
  for await (const event of store.readStream<CreditAccountEvent>(`${CREDIT_ACCOUNT}-${userId}`))
    yield upcast(CREDIT_ACCOUNT_EVENTS, event)
}
