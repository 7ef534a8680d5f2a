import type { EventStore, GlobalPosition, Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import type { Event } from '../kernel/eventsourcing/pure/decider.ts'
import { hashedText, textHash } from '../kernel/eventsourcing/pure/eventHash.ts'
import { readLedger } from './readLedger.ts'

/** Events of the log in lists side by side, which pass from thread to thread at little cost. */
export interface HashedPage {
  /** What each event's hash is made of: all that it says. */
  readonly texts: readonly string[]
  readonly hashes: readonly string[]
  readonly positions: readonly GlobalPosition[]
  /** Milliseconds. */
  readonly created: readonly number[]
}

/** Of each event of the ledger the text that was hashed, and the hash; in the order of the log. */
export async function* hashLedger(store: EventStore): AsyncGenerator<HashedPage> {
  for await (const events of readLedger(store)) {
    const texts = events.map(hashedText)
    yield {
      texts,
      hashes: texts.map(textHash),
      positions: events.map(({ position }) => position),
      created: events.map(({ created }) => created.getTime()),
    }
  }
}

/** The event as it was hashed, so that what is proven and what is booked are the same. */
export function eventOf<E extends Event>({ texts, positions, created }: HashedPage, index: number): Stored<E> {
  const event = JSON.parse(texts[index]!)
  event.position = positions[index]
  event.created = new Date(created[index]!)
  return event
}
