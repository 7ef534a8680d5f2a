/** A fact. The type is past tense and unique in the code base; the data is JSON: ISO strings, integers, no personal data. */
export type Event<T extends string = string, D extends object = object> = Readonly<{ type: T; data: Readonly<D> }>

/**
 * The rules of one aggregate, pure: no clock, no randomness, no I/O. Time and ids come in with the command.
 * After Jérémie Chassaing, "Functional Event Sourcing Decider".
 */
export type Decider<S, C, E extends Event> = Readonly<{
  /** Streams are named `<category>-<id>`; a category contains no hyphen. */
  category: string
  initial: S
  evolve: (state: S, event: E) => S
  /** Returns no events when the fact already holds. @throws Rejection a rule forbids the command */
  decide: (command: C, state: S) => readonly E[]
  /** Stores the previous event's hash in each event's metadata, which makes tampering and gaps detectable. */
  hashChained?: true
}>

/**
 * A business rule forbids the command. `code` is stable; `detail` is a sentence for people; `fields` are added to the
 * response.
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
