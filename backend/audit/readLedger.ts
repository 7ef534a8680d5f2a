import { CREDIT_ACCOUNT, type CreditAccountEvent } from '../credits/events.ts'
import type { EventStore, Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import { SUBSCRIPTION, type SubscriptionEvent } from '../subscriptions/events.ts'

export type LedgerEvent = CreditAccountEvent | SubscriptionEvent

/** Events per page: enough to make the cost of round trips negligible. */
const PAGE = 5_000

/** Yields all credit and subscription events in log order, up to the current end. */
export async function* readLedger(store: EventStore): AsyncGenerator<readonly Stored<LedgerEvent>[]> {
  const end = new AbortController()
  const options = {
    streamPrefixes: [`${CREDIT_ACCOUNT}-`, `${SUBSCRIPTION}-`],
    maxBatch: PAGE,
    signal: end.signal,
    onLive: () => end.abort(),
  } as const
  const batches = store
    .subscribeAll<LedgerEvent>({ ...options, streamPrefixes: [...options.streamPrefixes] })
    [Symbol.asyncIterator]()
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
