import { derivedId } from './eventHash.ts'
import type { GlobalPosition } from './eventStore.ts'

/** Who asks for a command, and as part of what. */
export interface CommandContext {
  /** The same for every attempt at the same command: event ids derive from it. */
  readonly commandId: string
  /** `user:<id>`, `operator:<name>` or `system`. */
  readonly actor: string
  readonly correlationId: string
  readonly causationId?: string
}

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
