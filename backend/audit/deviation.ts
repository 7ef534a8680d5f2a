/** Location of an event. Unknown parts are null, such as the id of a deleted event. */
export interface Place {
  readonly stream: string | null
  readonly revision: number | null
  readonly id: string | null
  readonly position: string | null
}

/** A fault in the ledger. */
export interface Deviation extends Place {
  readonly check:
    | 'chain'
    | 'log'
    | 'postings'
    | 'hold'
    | 'grant'
    | 'desk'
    | 'operator'
    | 'invoice'
    | 'delivery'
    | 'team'
    | 'read model'
    | 'head'
    | 'zero'
  /** Description of the fault, one sentence. */
  readonly wrong: string
}

/** Copies only the location fields of an event. */
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
