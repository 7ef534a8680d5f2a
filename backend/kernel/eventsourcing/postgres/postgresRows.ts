import type { GlobalPosition, Metadata, Stored } from '../eventStore.port.ts'
import type { Event } from '../pure/decider.ts'

/** A row of the table `event`; `pg` returns bigint columns as text. */
export interface EventRow {
  readonly position: string
  readonly stream: string
  readonly revision: string
  readonly id: string
  readonly type: string
  readonly data: object
  readonly meta: Metadata
  readonly created: Date | string
}

/** Pads a position to twenty digits, so that positions compare as strings. */
export function toGlobalPosition(position: string | number): GlobalPosition {
  return String(position).padStart(20, '0') as GlobalPosition
}

export function toStored<E extends Event>({ position, revision, created, ...row }: EventRow): Stored<E> {
  const stored: Stored = {
    ...row,
    revision: Number(revision),
    position: toGlobalPosition(position),
    created: created instanceof Date ? created : new Date(created),
  }
  return stored as Stored<E>
}
