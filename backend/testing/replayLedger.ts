import type pg from 'pg'
import { verify } from '../audit/verify.ts'
import { CREDIT_ACCOUNT } from '../credits/events.ts'
import { createPostgresEventStore } from '../kernel/eventsourcing/postgres/postgresEventStore.ts'

/** A credit account computed from the event log alone. Amounts are whole credits. */
export interface Replayed {
  readonly userId: string
  readonly granted: number
  readonly left: number
  readonly held: number
  readonly captured: number
  /** Whether every event carries the hash of the previous one. */
  readonly chained: boolean
}

/** Replays every credit account with the audit's code. */
export async function replayLedger(pool: pg.Pool): Promise<Replayed[]> {
  const store = createPostgresEventStore(pool)
  const { books, deviations } = await verify(store)
  await store.close()
  const broken = new Set(deviations.filter(({ check }) => check === 'chain').map(({ stream }) => stream))
  return [...books].map(([stream, book]) => ({
    userId: stream.slice(CREDIT_ACCOUNT.length + 1),
    granted: -book.total('issued'),
    captured: book.total('spent'),
    ...book.sums(),
    chained: !broken.has(stream),
  }))
}
