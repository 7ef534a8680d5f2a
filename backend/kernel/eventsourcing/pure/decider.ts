import type { HashChained } from './eventHash.ts'
import type { EventSchemas } from './eventSchemas.ts'

/** A domain event. `type` is in the past tense and unique in the codebase; `data` is JSON without personal data. */
export type Event<T extends string = string, D extends object = object> = Readonly<{ type: T; data: Readonly<D> }>

/**
 * The rules of one aggregate as pure functions, without clock, randomness or I/O. Commands carry the time and new ids.
 * Based on "Functional Event Sourcing Decider" by Jérémie Chassaing.
 */
export type Decider<S, C, E extends Event> = Readonly<{
  /** Streams are named `<category>-<id>`; a category contains no hyphen. */
  category: string
  /** The event types of the stream. */
  schemas: EventSchemas<E['type']>
  initial: S
  evolve: (state: S, event: E) => S
  /** Returns no events if the command has already taken effect. @throws Rejection if a rule forbids the command */
  decide: (command: C, state: S) => readonly E[]
  /**
   * Returns whether a command usually is the first one of its stream. It is then decided on the initial state without
   * reading the stream, which the append confirms.
   */
  begins?: (command: C) => boolean
  /** Stores the previous event's hash in each event's metadata, which makes tampering and gaps detectable. */
  hashChained?: HashChained
  /**
   * Keeps a snapshot of long streams; the state must survive a JSON round trip. Raise the version when `evolve` or the
   * shape of the state changes, so that older snapshots are not used.
   */
  snapshotVersion?: number
  /** Returns the approximate size of a state in bytes, if it varies widely. Large states leave the cache earlier. */
  weight?: (state: S) => number
}>

/**
 * Thrown when a business rule forbids a command. `code` is stable, `detail` is a user-facing sentence, and `fields` are
 * added to the error response.
 * @example throw new Rejection('insufficient_credits', 'Not enough credits.', { missing: 5 })
 */
export class Rejection extends Error {
  override name = 'Rejection'
  readonly code: string
  readonly fields: Readonly<Record<string, unknown>>
  constructor(code: string, detail: string, fields: Readonly<Record<string, unknown>> = {}) {
    super(detail)
    this.code = code
    this.fields = fields
  }
}
