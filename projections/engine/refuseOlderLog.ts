import type { EventStore, GlobalPosition } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Database } from '#backend/kernel/postgres/query.ts'
import { query } from '#backend/kernel/postgres/query.ts'
import type { EventIdentity } from './project.ts'
import { REBUILD_REQUESTED } from './readModel.ts'
import type { Queries } from './readRows.ts'
import { REBUILD_TABLE } from './rebuild.ts'

/** A read model has seen an event that the log does not contain. */
export class OlderLog extends Error {
  override name = 'OlderLog'
}

interface Checkpoint {
  readonly name: string
  readonly position: GlobalPosition
  /** Last event that the read model has seen; null for checkpoints of earlier versions until their next batch. */
  readonly last_event: EventIdentity | null
}

/**
 * Rejects a log that lacks an event that a read model has seen. Otherwise the read models would show events that never
 * happened, and skip new ones.
 * @throws OlderLog with instructions for the operator
 */
export async function refuseOlderLog(database: Database, store: EventStore): Promise<void> {
  const checkpoints = await query<Checkpoint>(
    database,
    'select name, position, last_event from projection_checkpoint where position is not null order by position collate "C" desc',
  )
  const [furthest] = checkpoints
  if (!furthest) return
  const head = await store.head()
  // All positions of a store have the same length, so they can be compared as strings.
  if (head === undefined || furthest.position.length !== head.length || furthest.position > head)
    throw olderLog(furthest.name, `up to ${furthest.position}, but the log ends at ${head ?? 'its beginning'}`)
  const known = new Set<string>()
  for (const { name, last_event } of checkpoints) {
    if (!last_event || known.has(last_event.id)) continue
    if (!(await contains(store, last_event)))
      throw olderLog(name, `event ${last_event.revision} of ${last_event.stream}, which the log does not contain`)
    known.add(last_event.id)
  }
}

async function contains(store: EventStore, { stream, revision, id }: EventIdentity): Promise<boolean> {
  for await (const event of store.readStream(stream, revision)) return event.id === id
  return false
}

const olderLog = (name: string, seen: string) =>
  new OlderLog(
    `The read model ${name} has seen ${seen}. The log was restored from an older backup than the database, or is a ` +
      'different one. Restore both from the same time. To keep this log, compare it with the heads of your last export ' +
      'first (npm run audit -- verify --heads <export>), then stop all processes and run: npm run rebuild-read-models',
  )

/** Lets the next start rebuild every read model from the start of the log. No process may be running. */
export async function forgetReadModels(client: Queries): Promise<void> {
  await client.query(
    `with drafts as (delete from projection_checkpoint where name ~ $1)
     update projection_checkpoint set version = ${REBUILD_REQUESTED}, position = null, last_event = null where name !~ $1`,
    [REBUILD_TABLE],
  )
}
