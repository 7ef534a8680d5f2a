import type { GlobalPosition, Metadata, StoredEvent } from '../eventStore.port.ts'

/** A row of the table `event`; Postgres gives its big integers as text. */
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

/** Twenty digits, so that positions compare as text. */
export function toGlobalPosition(position: string | number): GlobalPosition {
  return String(position).padStart(20, '0') as GlobalPosition
}

export function toStoredEvent({ position, revision, created, ...row }: EventRow): StoredEvent {
  return {
    ...row,
    revision: Number(revision),
    position: toGlobalPosition(position),
    created: created instanceof Date ? created : new Date(created),
  }
}
