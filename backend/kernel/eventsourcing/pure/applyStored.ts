import type { Decider, Event } from './decider.ts'
import { chainStart, eventHash } from './eventHash.ts'
import { UnknownEvent, upcast } from './eventSchemas.ts'

/** Thrown for a stream whose stored events are not the ones that were appended. */
export class StreamBroken extends Error {
  override name = 'StreamBroken'
}

type AnyDecider = Pick<Decider<unknown, unknown, Event>, 'hashChained' | 'snapshotVersion'>

/** State of a stream after an event, with the values that verify the next one. */
export interface Folded<S> {
  readonly state: S
  /** Revision of the event; -1 for an empty stream. */
  readonly revision: number
  /** Hash of the event. Only streams with a hash chain or snapshots update it. */
  readonly hash: string
}

type Stored<E extends Event> = E &
  Readonly<{ stream: string; revision: number; id: string; meta: { schema?: unknown; previousHash?: unknown } }>

/** Returns whether the events of a stream are hashed. */
export const isHashed = ({ hashChained, snapshotVersion }: AnyDecider): boolean =>
  hashChained !== undefined || snapshotVersion !== undefined

export const emptyStream = <S, C, E extends Event>(decider: Decider<S, C, E>, stream: string): Folded<S> => ({
  state: decider.initial,
  revision: -1,
  hash: chainStart(stream),
})

/**
 * Applies the next event of a stream after verifying that it follows the events before it: contiguous revisions, and
 * their hash if the stream is hash-chained.
 * @throws StreamBroken, UnknownEvent
 */
export function applyStored<S, C, E extends Event>(
  decider: Decider<S, C, E>,
  known: Folded<S>,
  stored: Stored<E>,
): Folded<S> {
  const { evolve, schemas, hashChained } = decider
  const { stream, revision, meta } = stored
  const broken = (fault: string, cause?: unknown) =>
    new StreamBroken(`${stream}, revision ${revision}: ${fault}`, { cause })
  if (revision !== known.revision + 1) throw broken(`follows revision ${known.revision}`)
  if (hashChained && meta.previousHash !== known.hash) throw broken('does not carry the hash of the previous event')
  try {
    const state = evolve(known.state, upcast(schemas, stored))
    return { state, revision, hash: isHashed(decider) ? eventHash(stored) : known.hash }
  } catch (error) {
    throw error instanceof UnknownEvent ? error : broken('cannot be applied', error)
  }
}
