import { ErrorType, isCommandError, type Position, type RecordedEvent } from '@eventstore/db-client'
import type { GlobalPosition, Metadata, Stored } from '../eventStore.port.ts'

const digits = (part: bigint) => part.toString().padStart(20, '0')

/** `<commit>/<prepare>`, twenty digits each, so that positions compare as text. */
export function toGlobalPosition({ commit, prepare }: Position): GlobalPosition {
  return `${digits(commit)}/${digits(prepare)}` as GlobalPosition
}

export function fromGlobalPosition(position: GlobalPosition): Position {
  const [commit, prepare] = position.split('/')
  return { commit: BigInt(commit!), prepare: BigInt(prepare!) }
}

/** @throws when the server is older than 22.10 and tells no positions */
export function toStored(event: RecordedEvent): Stored {
  if (!event.position) throw new Error('EventStoreDB must be 24.10 or newer: it told no position')
  return {
    id: event.id,
    type: event.type,
    stream: event.streamId,
    revision: Number(event.revision),
    position: toGlobalPosition(event.position),
    created: event.created,
    data: event.data as object,
    meta: (event.metadata ?? {}) as Metadata,
  }
}

const transientTypes = new Set<string>([
  ErrorType.UNAVAILABLE,
  ErrorType.CANCELLED,
  ErrorType.UNKNOWN,
  ErrorType.DEADLINE_EXCEEDED,
  ErrorType.TIMEOUT,
  ErrorType.NOT_LEADER,
])
/** Invalid argument, permission denied, failed precondition, unimplemented, unauthenticated: asking again does not help. */
const finalCodes = new Set<unknown>([3, 7, 9, 12, 16])

/** Nothing is wrong with the request itself. What is no error of the server's at all is one of the connection's. */
export function isTransient(error: unknown): boolean {
  if (finalCodes.has((error as { code?: unknown } | undefined)?.code)) return false
  if (error instanceof Error && isCommandError(error)) return transientTypes.has(error.type)
  return !(error instanceof TypeError)
}

export function isOfType(error: unknown, type: ErrorType): boolean {
  return error instanceof Error && isCommandError(error) && error.type === type
}
