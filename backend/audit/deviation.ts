/** Where an event stands. What is not known is null: an event that is gone has no id any more. */
export interface Place {
  readonly stream: string | null
  readonly revision: number | null
  readonly id: string | null
  readonly position: string | null
}

/** What the ledger should not hold. */
export interface Deviation extends Place {
  readonly check: 'chain' | 'log' | 'postings' | 'hold' | 'grant' | 'read model'
  /** A sentence. */
  readonly wrong: string
}

export const placeOf = ({ stream, revision, id, position }: Place): Place => ({ stream, revision, id, position })

/** A place in a stream where there is no event. */
export const missingPlace = (stream: string, revision: number | null): Place => ({
  stream,
  revision,
  id: null,
  position: null,
})

/** Kept in full up to so many; after that they are counted. */
const KEPT = 10_000

export class Deviations {
  readonly found: Deviation[] = []
  count = 0

  add(check: Deviation['check'], place: Place, wrong: string): void {
    this.count += 1
    if (this.found.length < KEPT) this.found.push({ check, ...placeOf(place), wrong })
  }
}
