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
   * Returns what a decision breaks that must always hold, such as a sum of credits; undefined if nothing. It is a fault of
   * `decide`: the command is refused, and its stream quarantined. Shares no code with `decide`.
   * See docs/decisions/0063-sound-decisions.md.
   */
  faultOf?: (decision: Decision<S, C, E>) => string | undefined
  /**
   * Returns whether a command usually is the first one of its stream. It is then decided on the initial state without
   * reading the stream, which the append confirms.
   */
  begins?: (command: C) => boolean
  /** Stores the previous event's hash in each event's metadata, which makes tampering and gaps detectable. */
  hashChained?: true
  /**
   * Keeps a snapshot of long streams; the state must survive a JSON round trip. Raise the version when `evolve` or the
   * shape of the state changes, so that older snapshots are not used.
   */
  snapshotVersion?: number
  /** Returns the approximate size of a state in bytes, if it varies widely. Large states leave the cache earlier. */
  weight?: (state: S) => number
}>

/** A command, the state before it, and the events that were decided with the state after them. */
export type Decision<S, C, E extends Event> = Readonly<{ command: C; before: S; events: readonly E[]; after: S }>

/** Thrown for a decision that breaks what must always hold. Nothing of it is stored. */
export class UnsoundDecision extends Error {
  override name = 'UnsoundDecision'
}

/** Refuses a decision that breaks what must always hold. @throws UnsoundDecision */
export function assertSound<S, C, E extends Event>(
  { category, faultOf }: Pick<Decider<S, C, E>, 'category' | 'faultOf'>,
  decision: Decision<S, C, E>,
): void {
  const fault = decision.events.length > 0 ? faultOf?.(decision) : undefined
  const types = decision.events.map(({ type }) => type).join(', ')
  if (fault) throw new UnsoundDecision(`${category}: ${types}: ${fault}`)
}

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
