import type { GlobalPosition, Stored } from './eventStore.port.ts'
import type { Event } from './pure/decider.ts'
import { derivedId } from './pure/eventHash.ts'

/** Who asks for a command, and as part of what. */
export interface CommandContext {
  /** The same for every attempt at the same command: event ids derive from it. */
  readonly commandId: string
  /** `user:<id>`, `operator:<name>` or `system`. */
  readonly actor: string
  readonly correlationId: string
  readonly causationId?: string
}

/** How a chain of events began: what the commands that follow from its first event carry on. */
export type Origin = Required<Pick<CommandContext, 'correlationId' | 'causationId'>>

/** Names one event of a stream. */
export interface EventSelector<E extends Event = Event> {
  readonly id: string
  readonly is: (event: Stored<E>) => boolean
}

/** The origin of what happens on a stream, or on a part of it; undefined while nothing has happened. */
export type FindOrigin = <E extends Event = Event>(
  stream: string,
  beginning?: EventSelector<E>,
) => Promise<Origin | undefined>

export interface Handled<S> {
  readonly state: S
  /** The log's position that a read model must have reached to show the outcome; none for an empty stream. */
  readonly position: GlobalPosition | undefined
}

/** The context of what the program does by itself: the same subject is the same command. */
export const bySystem = (...subject: readonly [string, ...string[]]): CommandContext => ({
  commandId: derivedId(...subject),
  actor: 'system',
  correlationId: subject.at(-1)!,
})
