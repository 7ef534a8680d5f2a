import type pg from 'pg'
import { creditAccount } from '../credits/creditAccount.ts'
import type { CreditAccountEvent } from '../credits/events.ts'
import { chainStart, eventHash } from '../eventsourcing/eventHash.ts'
import { createPostgresEventStore } from '../eventsourcing/postgresEventStore.ts'

/** What the log alone says of one account. Amounts are whole credits. */
export interface Replayed {
  readonly userId: string
  readonly granted: number
  readonly left: number
  readonly held: number
  readonly captured: number
  /** Each event carries the hash of the one before it. */
  readonly chained: boolean
}

/** Replays every credit account from its events. */
export async function replayLedger(pool: pg.Pool): Promise<Replayed[]> {
  const store = createPostgresEventStore(pool)
  const { rows } = await pool.query<{ stream: string }>(
    `select distinct stream from event where stream like 'creditAccount-%'`,
  )
  const accounts = await Promise.all(rows.map(({ stream }) => replay(store, stream)))
  await store.close()
  return accounts
}

async function replay(store: ReturnType<typeof createPostgresEventStore>, stream: string): Promise<Replayed> {
  let state = creditAccount.initial
  let hash = chainStart(stream)
  const figures = { granted: 0, captured: 0, chained: true }
  const sum = (parts: Iterable<{ amount: number }>) => [...parts].reduce((total, { amount }) => total + amount, 0)
  for await (const stored of store.readStream(stream)) {
    const event = stored as unknown as CreditAccountEvent
    figures.chained &&= stored.meta.previousHash === hash
    hash = eventHash(stored)
    if (event.type === 'CreditLotGranted') figures.granted += event.data.amount
    if (event.type === 'CreditsCaptured') figures.captured += sum(state.holds.get(event.data.holdId) ?? [])
    state = creditAccount.evolve(state, event)
  }
  const left = state.lots.reduce((total, lot) => total + lot.left, 0)
  const held = [...state.holds.values()].reduce((total, parts) => total + sum(parts), 0)
  return { userId: stream.slice('creditAccount-'.length), left, held, ...figures }
}
