import type { EventStore, GlobalPosition, Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import type { Event } from '../kernel/eventsourcing/pure/decider.ts'
import { hashedText } from '../kernel/eventsourcing/pure/eventHash.ts'
import { must } from '../kernel/must.ts'
import { AUDITED_CATEGORIES, readLedger } from './readLedger.ts'

/** A page of the log as parallel arrays, which are cheap to send between threads. */
export interface CanonicalPage {
  /** The text of each event that its hash covers. */
  readonly texts: readonly string[]
  readonly positions: readonly GlobalPosition[]
  /** Creation times in epoch milliseconds. */
  readonly created: readonly number[]
}

/** Yields all audited events in log order. */
export async function* readCanonical(store: EventStore): AsyncGenerator<CanonicalPage> {
  for await (const events of readLedger(store, { categories: AUDITED_CATEGORIES }))
    yield {
      texts: events.map(hashedText),
      positions: events.map(({ position }) => position),
      created: events.map(({ created }) => created.getTime()),
    }
}

/** Parses an event from its hashed text, so that the event booked is the event verified. */
export function eventOf<E extends Event>({ texts, positions, created }: CanonicalPage, index: number): Stored<E> {
  const event = JSON.parse(must(texts[index], 'event'))
  event.position = positions[index]
  event.created = new Date(must(created[index], 'time'))
  return event
}
