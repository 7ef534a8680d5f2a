import type { Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import { canonicalJson } from '../kernel/eventsourcing/pure/eventHash.ts'
import { type Deviations, missingPlace, type Place } from './deviation.ts'

/** A read model that the audit rebuilds from events and compares with the stored rows. */
export interface AuditedModel {
  readonly name: string
  readonly version: number
  readonly table: string
  knows(event: Stored): boolean
  rowId(event: Stored): string
  /** Returns the next state of the row, or undefined if the event deletes it. */
  fold(row: object | undefined, event: Stored): object | undefined
  /** Returns the stream of a row's events, and the revision if the row comes from one event. */
  placeOf(row: object): { readonly stream: string; readonly revision: number | null }
}

/** A consistent snapshot of the read models. */
export interface RowSnapshot {
  /** Returns a read model's checkpoint, or undefined if it was never written. */
  checkpoint(model: string): Promise<{ version: number; position: string | null } | undefined>
  /** Yields every row in the shape of `to_jsonb`. */
  rows(table: string): AsyncIterable<{ id: string; row: object }>
}

export interface ComparedModel {
  readonly table: string
  readonly rows: number
  /** The read model's checkpoint; null if it was not compared. */
  readonly upTo: string | null
  readonly note?: string
}

/** Folds the log up to a read model's checkpoint and compares every row. */
export class ReadModelProof {
  readonly #model: AuditedModel
  readonly #rows = new Map<string, object>()
  #upTo: string | undefined
  #note: string | undefined

  constructor(model: AuditedModel) {
    this.#model = model
  }

  async begin(snapshot: RowSnapshot): Promise<void> {
    const checkpoint = await snapshot.checkpoint(this.#model.name)
    if (!checkpoint?.position) this.#note = 'never written'
    else if (checkpoint.version !== this.#model.version)
      this.#note = `its version is ${checkpoint.version}, this program has ${this.#model.version}`
    else this.#upTo = checkpoint.position
  }

  take(event: Stored): void {
    if (this.#upTo === undefined || event.position > this.#upTo || !this.#model.knows(event)) return
    const id = this.#model.rowId(event)
    const row = this.#model.fold(this.#rows.get(id), event)
    if (row) this.#rows.set(id, row)
    else this.#rows.delete(id)
  }

  async end(snapshot: RowSnapshot, deviations: Deviations): Promise<ComparedModel> {
    const { table } = this.#model
    if (this.#upTo === undefined) return { table, rows: 0, upTo: null, note: this.#note ?? '' }
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
    return { table, rows, upTo: this.#upTo }
  }

  #place(row: object): Place {
    return missingPlace(this.#model.placeOf(row))
  }
}

/** Formats an ISO 8601 instant as `to_jsonb` does in UTC. */
const toJsonb = (instant: string) =>
  instant.replace(/\.(\d*?)0*Z$/, (_, digits: string) => `${digits === '' ? '' : `.${digits}`}+00:00`)

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
