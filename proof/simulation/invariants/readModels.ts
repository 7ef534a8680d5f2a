import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { type AnyProjection, foldEvent, isRelevant, rowIdOf } from '#projections/engine/projection.ts'
import type { SimulatedDatabase } from '../doubles/database.ts'
import type { Checkpoint } from '../doubles/statements/projections.ts'
import { Violation } from './violation.ts'

/** Rows of one read model, folded from the log up to a position. */
interface Replay {
  readonly projection: AnyProjection
  readonly table: string
  readonly rows: Map<string, object>
  next: number
}

/** Each read model equals a replay of the log up to its checkpoint, after every transaction. */
export class ReadModelInvariants {
  readonly #database: SimulatedDatabase
  readonly #log: readonly Stored[]
  readonly #replays: readonly Replay[]
  /** Streams with an event that cannot be projected. */
  readonly #poisoned: ReadonlySet<string>

  constructor(
    database: SimulatedDatabase,
    log: readonly Stored[],
    projections: readonly AnyProjection[],
    poisoned: ReadonlySet<string>,
  ) {
    this.#database = database
    this.#log = log
    this.#poisoned = poisoned
    this.#replays = projections.map((projection) => {
      const table = projection.table.meta.tableName
      return { projection, table, rows: new Map(), next: 0 }
    })
  }

  /** Compares the rows that the latest transaction may have changed. */
  afterCommit(): void {
    for (const replay of this.#replays) {
      const checkpoint = this.#database.table<Checkpoint>('projection_checkpoint').get(replay.projection.name)
      if (checkpoint?.position) this.#advance(replay, checkpoint.position)
    }
  }

  /** Without faults, no read model misses an event that was written before an instant (epoch ms). */
  haveRead(before: number): void {
    for (const { projection } of this.#replays) {
      const { name } = projection
      const position = this.#database.table<Checkpoint>('projection_checkpoint').get(name)?.position ?? ''
      const missed = this.#log.findLast((event) => event.created.getTime() < before && this.#isRead(projection, event))
      if (missed && missed.position > position)
        throw new Violation('read models catch up', `${name} has not read ${missed.type} of ${missed.stream}`)
    }
  }

  #isRead(projection: AnyProjection, event: Stored): boolean {
    const isOurs = projection.categories.some((category) => event.stream.startsWith(`${category}-`))
    return isOurs && isRelevant(projection, event) && !this.#poisoned.has(event.stream)
  }

  #advance(replay: Replay, position: string): void {
    const { projection, rows, table } = replay
    const changed = new Set<string>()
    for (let event = this.#log[replay.next]; event && event.position <= position; event = this.#log[++replay.next]) {
      if (!this.#isRead(projection, event)) continue
      const id = rowIdOf(projection, event)
      const row = foldEvent(projection, rows.get(id), event)
      if (row) rows.set(id, row)
      else rows.delete(id)
      changed.add(id)
    }
    for (const id of changed) {
      const [expected, actual] = [rows.get(id), this.#database.table(table).get(id)].map((row) => JSON.stringify(row))
      if (expected !== actual)
        throw new Violation('rows equal a replay', `${table} ${id} at ${position}: ${actual} instead of ${expected}`)
    }
  }
}
