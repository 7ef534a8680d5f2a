import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventStore, GlobalPosition, Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import type { Event } from '../kernel/eventsourcing/pure/decider.ts'
import { hashedText, textHash } from '../kernel/eventsourcing/pure/eventHash.ts'
import { AUDITED_CATEGORIES, readLedger } from './readLedger.ts'

/** A page of the log as parallel arrays, which are cheap to send between threads. */
export interface HashedPage {
  /** Hashed text of each event. */
  readonly texts: readonly string[]
  readonly hashes: readonly string[]
  readonly positions: readonly GlobalPosition[]
  /** Creation times in epoch milliseconds. */
  readonly created: readonly number[]
}

/** Hashed in one turn of the event loop. In one turn for the page, the connection's buffer would fill and PostgreSQL wait. */
const EVENTS_PER_TURN = 500

/** Yields all audited events in log order, each with its hash. */
export async function* hashLedger(store: EventStore): AsyncGenerator<HashedPage> {
  for await (const events of readLedger(store, { categories: AUDITED_CATEGORIES })) {
    const texts: string[] = []
    const hashes: string[] = []
    for (let first = 0; first < events.length; first += EVENTS_PER_TURN) {
      const turn = events.slice(first, first + EVENTS_PER_TURN).map(hashedText)
      texts.push(...turn)
      hashes.push(...turn.map(textHash))
      await nextTurn()
    }
    yield {
      texts,
      hashes,
      positions: events.map(({ position }) => position),
      created: events.map(({ created }) => created.getTime()),
    }
  }
}

/** Parses an event from its hashed text, so that the event booked is the event verified. */
export function eventOf<E extends Event>({ texts, positions, created }: HashedPage, index: number): Stored<E> {
  const event = JSON.parse(texts[index]!)
  event.position = positions[index]
  event.created = new Date(created[index]!)
  return event
}
