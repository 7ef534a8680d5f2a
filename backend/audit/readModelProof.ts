import type { Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import { canonicalJson } from '../kernel/eventsourcing/pure/eventHash.ts'
import { trimEnd } from '../kernel/trimEnd.ts'
import { type Deviations, missingPlace, type Place } from './deviation.ts'

/** A read model that the audit rebuilds from events and compares with the stored rows. */
export interface AuditedModel {
  readonly name: string
  readonly version: number
  readonly table: string
  knows(type: string): boolean
  rowId(event: Stored): string
  /** Returns the next state of the row, or undefined if the event deletes it. `hash` is the event's hash. */
  fold(row: object | undefined, event: Stored, hash: string): object | undefined
  /** Returns the stream of a row's events, and the revision if the row comes from one event. */
  placeOf(row: object): { readonly stream: string | null; readonly revision: number | null }
}

/** The progress of a read model, as its projection recorded it. */
interface Checkpoint {
  readonly version: number
  readonly position: string | null
  /** Last event that the projection has seen. */
  readonly lastEvent: { readonly stream: string; readonly revision: number; readonly id: string } | null
  /** When the projection was last at the head of the log. */
  readonly liveAt: Date | null
}

/** A consistent snapshot of the read models. */
export interface RowSnapshot {
  /** A position that the log had reached before the snapshot; undefined for an empty log. */
  readonly head: string | undefined
  /** Returns a read model's checkpoint, or undefined if there is none. */
  checkpoint(model: string): Promise<Checkpoint | undefined>
  /** Yields every row in the shape of `to_jsonb`. */
  rows(table: string): AsyncIterable<{ id: string; row: object }>
}

export interface ComparedModel {
  readonly table: string
  readonly rows: number
  /** Position up to which the rows were compared; null if they were not. */
  readonly upTo: string | null
  /** Why the comparison is incomplete, although nothing indicates tampering. */
  readonly incomplete?: string
}

/** Longest time from the decision of an event to its projection by a projection that is at the head of the log, ms. */
const PROJECTED_WITHIN_MS = 60_000

/**
 * Folds the log up to a read model's checkpoint and compares every row. A comparison that was silenced is a deviation: a
 * missing checkpoint, one that omits events although the projection was at the head of the log after them, or one that
 * names another event than the log.
 */
export class ReadModelProof {
  readonly #model: AuditedModel
  readonly #rows = new Map<string, object>()
  #head = ''
  #checkpoint: Checkpoint | undefined
  /** First event that the checkpoint omits. */
  #omitted: Stored | undefined
  /** Position of the last event of the model up to the checkpoint. */
  #last = ''
  /** The event of the log that the checkpoint names. */
  #named: Stored | undefined

  constructor(model: AuditedModel) {
    this.#model = model
  }

  async begin(snapshot: RowSnapshot): Promise<void> {
    this.#head = snapshot.head ?? ''
    this.#checkpoint = await snapshot.checkpoint(this.#model.name)
  }

  knows(type: string): boolean {
    return this.#model.knows(type)
  }

  /** The stream of the event that the checkpoint names. */
  get namedStream(): string | undefined {
    return this.#checkpoint?.lastEvent?.stream
  }

  /** Adds an event of {@link namedStream}. */
  takeNamed(event: Stored): void {
    if (event.revision === this.#checkpoint?.lastEvent?.revision) this.#named = event
  }

  /** Adds an event whose type the model {@link knows}. */
  take(event: Stored, hash: string): void {
    const position = this.#checkpoint?.position ?? null
    if (position === null || event.position > position) {
      if (event.position <= this.#head) this.#omitted ??= event
      return
    }
    this.#last = event.position
    if (!this.#isComparable) return
    const id = this.#model.rowId(event)
    const row = this.#model.fold(this.#rows.get(id), event, hash)
    if (row) this.#rows.set(id, row)
    else this.#rows.delete(id)
  }

  async end(snapshot: RowSnapshot, deviations: Deviations): Promise<ComparedModel> {
    const { table, version } = this.#model
    this.#checkCheckpoint(deviations)
    const uncompared = { table, rows: 0, upTo: null }
    if (!this.#checkpoint) return uncompared
    if (!this.#isComparable)
      return { ...uncompared, incomplete: `its version is ${this.#checkpoint.version}, this program has ${version}` }
    const rows = await this.#compareRows(snapshot, deviations)
    const compared = { table, rows, upTo: this.#checkpoint.position }
    if (!this.#omitted || this.#claimsToInclude(this.#omitted)) return compared
    const { stream, revision } = this.#omitted
    return { ...compared, incomplete: `it is behind: it ends before revision ${revision} of ${stream}` }
  }

  get #isComparable(): boolean {
    return this.#checkpoint?.version === this.#model.version
  }

  #checkCheckpoint(deviations: Deviations): void {
    const { table } = this.#model
    const add = (place: Partial<Place>, wrong: string) => deviations.add('read model', missingPlace(place), wrong)
    if (!this.#checkpoint) {
      if (this.#omitted) add({}, `The checkpoint of ${table} is missing, so its rows cannot be compared.`)
      return
    }
    const { position, lastEvent } = this.#checkpoint
    if (this.#isComparable && this.#omitted && this.#claimsToInclude(this.#omitted))
      add(
        this.#omitted,
        `The checkpoint of ${table} is before this event, although the read model has been at the head of the log since.`,
      )
    if (!lastEvent || position === null) return
    const named = this.#named
    const isLast = named?.id === lastEvent.id && named.position <= position && named.position >= this.#last
    if (!isLast)
      add(lastEvent, `The checkpoint of ${table} names this event, which is not the last one up to ${position}.`)
  }

  #claimsToInclude({ data }: Stored): boolean {
    const { liveAt } = this.#checkpoint!
    const at = Date.parse(String((data as { at?: unknown }).at))
    return liveAt !== null && liveAt.getTime() > at + PROJECTED_WITHIN_MS
  }

  async #compareRows(snapshot: RowSnapshot, deviations: Deviations): Promise<number> {
    const { table } = this.#model
    let rows = 0
    for await (const { id, row } of snapshot.rows(table)) {
      rows += 1
      const expected = this.#rows.get(id)
      this.#rows.delete(id)
      const wrong = expected ? differences(expected, row) : ['it follows from no event']
      if (wrong.length > 0)
        deviations.add('read model', this.#place(expected ?? row), `Row ${id} of ${table}: ${wrong.join('; ')}.`)
    }
    for (const [id, row] of this.#rows)
      deviations.add('read model', this.#place(row), `Row ${id} of ${table} is missing.`)
    return rows
  }

  #place(row: object): Place {
    return missingPlace(this.#model.placeOf(row))
  }
}

/** Formats an ISO 8601 instant as `to_jsonb` does in UTC. */
function toJsonb(instant: string): string {
  const [seconds, fraction = ''] = instant.replace('Z', '').split('.')
  const digits = trimEnd(fraction, '0')
  return `${seconds}${digits && `.${digits}`}+00:00`
}

function differences(expected: object, found: object): string[] {
  const wrong: string[] = []
  for (const [column, value] of Object.entries(found)) {
    const wanted = (expected as Record<string, unknown>)[column]
    if (wanted === value) continue
    if (typeof wanted === 'string' && toJsonb(wanted) === value) continue
    const [is, should] = [canonicalJson(value), canonicalJson(wanted)]
    if (is !== should) wrong.push(`${column} is ${is}, by the log ${should}`)
  }
  return wrong
}
