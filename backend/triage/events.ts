import type { Event } from '../kernel/eventsourcing/pure/decider.ts'
import type { EventSchemas } from '../kernel/eventsourcing/pure/eventSchemas.ts'
import type { BulkKind } from './contract.ts'

/** What an operator asked for: one action of the desk for each video. */
export type BulkOrder = Readonly<{
  operator: string
  kind: BulkKind
  reason: string
  items: readonly Readonly<{ taskId: string; userId: string; credits: number }>[]
}>

/** Data of each event, in addition to the bulk's id and the time. */
interface Data {
  BulkAsked: BulkOrder
  BulkStopped: { operator: string }
  /** Videos for which it was done, and for which it failed. The others were not reached. */
  BulkEnded: { done: number; failed: number }
}

/** An event of one of the types `T`; of any type by default. */
export type BulkEvent<T extends keyof Data = keyof Data> = {
  [K in T]: Event<K, { bulkId: string; at: string } & Data[K]>
}[T]

export const BULK = 'bulk'

export const BULK_EVENTS: EventSchemas<BulkEvent['type']> = { BulkAsked: [], BulkStopped: [], BulkEnded: [] }
