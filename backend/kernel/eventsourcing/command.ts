import type { GlobalPosition, NewEvent, Stored } from './eventStore.port.ts'
import type { Event } from './pure/decider.ts'
import { derivedId } from './pure/eventHash.ts'

/** Identity, actor and tracing ids of a command. */
export interface CommandContext {
  /** Stays the same when a command is retried. Event ids derive from it. */
  readonly commandId: string
  /** `user:<id>`, `operator:<name>` or `system`. */
  readonly actor: string
  readonly correlationId: string
  readonly causationId?: string
}

/** Correlation and causation ids that an event passes to its follow-up commands. */
export type Origin = Required<Pick<CommandContext, 'correlationId' | 'causationId'>>

/** Selects an event in a stream. `id` identifies the selector in caches. */
export interface EventSelector<E extends Event = Event> {
  readonly id: string
  readonly matches: (event: Stored<E>) => boolean
}

/** Returns the origin from a stream's first event, or from the first that `selector` matches; undefined if none. */
export type FindOrigin = <E extends Event = Event>(
  stream: string,
  selector?: EventSelector<E>,
) => Promise<Origin | undefined>

export interface Handled<S> {
  readonly state: S
  /** Log position that a read model must reach to include the result; undefined for an empty stream. */
  readonly position: GlobalPosition | undefined
  /** Events that the command appended; missing if it appended none. */
  readonly appended?: readonly NewEvent[]
}

/**
 * Returns the context of a command that the system issues. The same `subject` always yields the same command id.
 * @example handle(creditAccount, userId, command, bySystem('expire lots', userId))
 */
export const bySystem = (...subject: readonly [string, ...string[]]): CommandContext => ({
  commandId: derivedId(...subject),
  actor: 'system',
  correlationId: subject.at(-1)!,
})
