import type { Event } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { type AnyProjection, foldEvents } from '../engine/projection.ts'

/** Returns the rows that a projection folds from events, without a database. */
export const rowsOf = (projection: AnyProjection, ...events: readonly Event[]): object[] => [
  ...foldEvents(projection, events).values(),
]
