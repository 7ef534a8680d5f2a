import { ErrorType, isCommandError, type Position, type RecordedEvent } from '@eventstore/db-client'
import type { GlobalPosition, Metadata, Stored } from '../eventStore.port.ts'

const digits = (part: bigint) => part.toString().padStart(20, '0')

/** Returns `<commit>/<prepare>`, twenty digits each, so that positions compare as strings. */
export function toGlobalPosition({ commit, prepare }: Position): GlobalPosition {
  return `${digits(commit)}/${digits(prepare)}` as GlobalPosition
}

export function fromGlobalPosition(position: GlobalPosition): Position {
  const [commit = '', prepare = ''] = position.split('/')
  return { commit: BigInt(commit), prepare: BigInt(prepare) }
}

/** @throws Error the server is older than 22.10 and returns no positions */
export function toStored(event: RecordedEvent): Stored {
  if (!event.position) throw new Error('EventStoreDB returned no position: it is older than 23.10')
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

const TRANSIENT_TYPES = new Set<string>([
  ErrorType.UNAVAILABLE,
  ErrorType.CANCELLED,
  ErrorType.UNKNOWN,
  ErrorType.DEADLINE_EXCEEDED,
  ErrorType.TIMEOUT,
  ErrorType.NOT_LEADER,
])
/** Permanent gRPC errors: invalid argument, permission denied, failed precondition, unimplemented, unauthenticated. */
const FINAL_CODES = new Set<unknown>([3, 7, 9, 12, 16])

/** Returns whether a retry may succeed. Errors that do not come from the server are treated as connection errors. */
export function isTransient(error: unknown): boolean {
  if (FINAL_CODES.has((error as { code?: unknown } | undefined)?.code)) return false
  if (error instanceof Error && isCommandError(error)) return TRANSIENT_TYPES.has(error.type)
  return !(error instanceof TypeError)
}

export function isOfType(error: unknown, type: ErrorType): boolean {
  return error instanceof Error && isCommandError(error) && error.type === type
}
