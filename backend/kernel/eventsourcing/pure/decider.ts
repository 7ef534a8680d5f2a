/** A fact. Its type is past tense and unique in the code base; its data is JSON: ISO strings, integers, no personal data. */
export type Event<T extends string = string, D extends object = object> = Readonly<{ type: T; data: Readonly<D> }>

/**
 * The rules of one aggregate, pure: no clock, no randomness, no I/O. Time and ids come in with the command.
 * After Jérémie Chassaing, "Functional Event Sourcing Decider".
 */
export type Decider<S, C, E extends Event> = Readonly<{
  /** Streams are called `<category>-<id>`; a category holds no hyphen. */
  category: string
  initial: S
  evolve: (state: S, event: E) => S
  /** No events when the fact already holds. @throws Rejection when a rule forbids the command */
  decide: (command: C, state: S) => readonly E[]
  /** Each event's metadata carries the hash of the event before it, so that a missing or altered one shows. */
  hashChained?: true
}>

/** A rule said no. `code` is stable; `detail` is a sentence; `fields` are extra members for the answer. */
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
