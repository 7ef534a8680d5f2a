import type { EventStore, GlobalPosition, Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Database } from '#backend/kernel/postgres/query.ts'
import { query } from '#backend/kernel/postgres/query.ts'
import { transaction } from '#backend/kernel/postgres/transaction.ts'
import { applyWrites } from './applyWrites.ts'
import { commitOrPark, Fenced } from './project.ts'
import type { AnyProjection } from './projection.ts'
import { liveTarget } from './readModel.ts'

interface Replay {
  readonly store: Pick<EventStore, 'readStream'>
  readonly database: Database
  /** Stops between rows. */
  readonly signal?: AbortSignal
}

/** Events that the read models now contain, and events that failed again. */
export interface Replayed {
  readonly replayed: number
  readonly failed: number
}

interface ParkedRow {
  readonly event_id: string
  readonly stream: string
  readonly revision: number
  readonly checkpoint: GlobalPosition | null
}

const PAGE = 500

/**
 * Folds the parked events of projections again, row by row and in log order. Those that fail again stay parked with the
 * new error. Safe while the projections run, in any process. Skips read models that are at another version, and rows that
 * another replay works on.
 */
export async function replayParked(projections: readonly AnyProjection[], replay: Replay): Promise<Replayed> {
  let [replayed, failed] = [0, 0]
  for (const projection of projections) {
    const stale = await query<{ row_key: string }>(
      replay.database,
      `select row_key from parked_event join projection_checkpoint c on c.name = projection and c.version = $1
       where projection = $2 group by row_key order by min(parked_event.position)`,
      [projection.version, projection.name],
    )
    for (const { row_key } of stale) {
      if (replay.signal?.aborted) return { replayed, failed }
      const row = await replayRow(projection, row_key, replay).catch((error) => {
        if (error instanceof Fenced) return { replayed: 0, failed: 0 }
        throw error
      })
      replayed += row.replayed
      failed += row.failed
    }
  }
  return { replayed, failed }
}

/** Replays the parked events of a row in pages until none is left or one fails. New ones may be parked in between. */
async function replayRow(projection: AnyProjection, key: string, { store, database }: Replay): Promise<Replayed> {
  const { name } = projection
  for (let replayed = 0; ; ) {
    const page = await query<ParkedRow>(
      database,
      `select event_id, stream, revision, checkpoint from parked_event
       where projection = $1 and row_key = $2 order by position limit ${PAGE}`,
      [name, key],
    )
    if (page.length === 0) return { replayed, failed: 0 }
    const events = await readEvents(store, page)
    const from = page[0]!.checkpoint ?? undefined
    const failed = await commitOrPark(events, (part, rejection) =>
      transaction(database, async (tx) => {
        const lock = 'select from projection_checkpoint where name = $1 and version = $2 for update'
        if ((await tx.query(lock, [name, projection.version])).length === 0) throw new Fenced(name)
        const taken = await tx.query(
          `delete from parked_event where projection = $1 and row_key = $2
             and event_id in (select value from jsonb_array_elements_text($3::jsonb)) returning event_id`,
          [name, key, JSON.stringify(part.map(({ id }) => id))],
        )
        if (taken.length < part.length) throw new Fenced(name)
        const write = { target: liveTarget(projection), events: part, from, rejection }
        return (await applyWrites(tx, [write], Promise.resolve(new Set([name])))).get(write)!
      }),
    )
    replayed += events.length - failed.length
    if (failed.length > 0) return { replayed, failed: failed.length }
  }
}

/** Reads events from their streams, in the given order. */
async function readEvents(store: Replay['store'], parked: readonly ParkedRow[]): Promise<Stored[]> {
  const found = new Map<string, Stored>()
  for (const [stream, events] of Map.groupBy(parked, (event) => event.stream)) {
    const revisions = events.map(({ revision }) => revision)
    for await (const event of store.readStream(stream, Math.min(...revisions))) {
      found.set(event.id, event)
      if (event.revision >= Math.max(...revisions)) break
    }
  }
  return parked.map(({ event_id, stream, revision }) => {
    const event = found.get(event_id)
    if (!event) throw new Error(`The log has no event ${event_id} at ${stream}/${revision}`)
    return event
  })
}
