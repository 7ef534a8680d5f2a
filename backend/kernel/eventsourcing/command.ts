import type { GlobalPosition, Stored } from './eventStore.port.ts'
import type { Event } from './pure/decider.ts'
import { derivedId } from './pure/eventHash.ts'

/** Actor and tracing ids of a command. */
export interface CommandContext {
  /** The same for every retry of a command: event ids derive from it, which makes retries idempotent. */
  readonly commandId: string
  /** `user:<id>`, `operator:<name>` or `system`. */
  readonly actor: string
  readonly correlationId: string
  readonly causationId?: string
}

/** Correlation and causation ids that the follow-up commands of an event inherit. */
export type Origin = Required<Pick<CommandContext, 'correlationId' | 'causationId'>>

/** Selects one event of a stream; `id` identifies the selection in a cache. */
export interface EventSelector<E extends Event = Event> {
  readonly id: string
  readonly matches: (event: Stored<E>) => boolean
}

/** Returns the origin given by the first event of a stream, or by the first that `selector` matches; undefined without one. */
export type FindOrigin = <E extends Event = Event>(
  stream: string,
  selector?: EventSelector<E>,
) => Promise<Origin | undefined>

export interface Handled<S> {
  readonly state: S
  /** Log position that a read model must have reached to show the outcome; undefined for an empty stream. */
  readonly position: GlobalPosition | undefined
}

/**
 * Returns the context of a command that the program sends itself. Equal subjects are the same command.
 * @example handle(creditAccount, userId, command, bySystem('expire lots', userId))
 */
export const bySystem = (...subject: readonly [string, ...string[]]): CommandContext => ({
  commandId: derivedId(...subject),
  actor: 'system',
  correlationId: subject.at(-1)!,
})
