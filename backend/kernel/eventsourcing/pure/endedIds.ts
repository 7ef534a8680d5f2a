/**
 * Ids of things that have ended, such as settled holds, in a size that does not grow with history. UUIDv7 ids sort by
 * creation time, so only the newest are kept and all older ones count as ended. An ended id is never forgotten; a new
 * id is mistaken for an ended one only if more than {@link KEPT} newer ids ended before it was first used.
 * See docs/decisions/0014-cost-does-not-grow.md.
 */
export interface EndedIds {
  /** Sorted. */
  readonly newest: readonly string[]
  /** All UUIDv7 ids up to this one count as ended. */
  readonly olderThan: string
  /** Sorted ids of other formats, which are all kept. */
  readonly others: readonly string[]
}

const KEPT = 1_024
const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export const noEndedIds: EndedIds = { newest: [], olderThan: '', others: [] }

/** Returns whether an id has ended. @example hasEnded(withEnded(noEndedIds, id), id) // true */
export function hasEnded({ newest, olderThan, others }: EndedIds, id: string): boolean {
  if (!UUID7.test(id)) return others[placeIn(others, id)] === id
  return id <= olderThan || newest[placeIn(newest, id)] === id
}

/** Returns the ids with one more. */
export function withEnded(ids: EndedIds, id: string): EndedIds {
  if (hasEnded(ids, id)) return ids
  const { newest, others } = ids
  if (!UUID7.test(id)) return { ...ids, others: others.toSpliced(placeIn(others, id), 0, id) }
  const added = newest.toSpliced(placeIn(newest, id), 0, id)
  if (added.length < 2 * KEPT) return { ...ids, newest: added }
  return { ...ids, newest: added.slice(-KEPT), olderThan: added.at(-KEPT - 1)! }
}

/** Returns the approximate size in bytes. */
export const weightOfEnded = ({ newest, others }: EndedIds): number => 64 * (newest.length + others.length)

/** Returns the index of the first id that is not smaller. */
function placeIn(sorted: readonly string[], id: string): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < id) low = middle + 1
    else high = middle
  }
  return low
}
