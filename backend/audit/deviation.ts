/** The location of an event. Unknown parts are null: a deleted event has no id any more. */
export interface Place {
  readonly stream: string | null
  readonly revision: number | null
  readonly id: string | null
  readonly position: string | null
}

/** A fault in the ledger. */
export interface Deviation extends Place {
  readonly check: 'chain' | 'log' | 'postings' | 'hold' | 'grant' | 'read model'
  /** A sentence. */
  readonly wrong: string
}

/** Reduces an event to its place. */
export const placeOf = ({ stream, revision, id, position }: Place): Place => ({ stream, revision, id, position })

const NOWHERE: Place = { stream: null, revision: null, id: null, position: null }

/** Returns the place of an event that does not exist. */
export const missingPlace = (known: Partial<Place>): Place => ({ ...NOWHERE, ...known })

/** Deviations beyond this number are only counted. */
const KEPT = 10_000

export class Deviations {
  readonly found: Deviation[] = []
  count = 0

  add(check: Deviation['check'], place: Place, wrong: string): void {
    this.count += 1
    if (this.found.length < KEPT) this.found.push({ check, ...placeOf(place), wrong })
  }
}
