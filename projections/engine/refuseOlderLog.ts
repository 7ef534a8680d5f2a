import type { EventStore } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { type Database, query } from './query.ts'

/** The log ends before a read model's checkpoint, because it was restored from an older backup than the database. */
class OlderLog extends Error {
  override name = 'OlderLog'
}

const REBUILD_ALL = String.raw`delete from projection_checkpoint where name like '%\_\_v%'; update projection_checkpoint set version = 0, position = null;`

/**
 * Rejects a log that is older than the read models. Otherwise the read models would show events that never happened,
 * and skip new ones.
 * @throws OlderLog with instructions for the operator
 */
export async function refuseOlderLog(database: Database, store: EventStore): Promise<void> {
  const [furthest] = await query<{ name: string; position: string }>(
    database,
    'select name, position from projection_checkpoint where position is not null order by position collate "C" desc limit 1',
  )
  if (!furthest) return
  const head = await store.head()
  // All positions of a store have the same length, so they can be compared as strings.
  if (head !== undefined && furthest.position.length === head.length && furthest.position <= head) return
  throw new OlderLog(
    `The event log ends at ${head ?? 'its beginning'}, but the read model ${furthest.name} has read up to ` +
      `${furthest.position}. The log was restored from an older backup than the database, or is a different one. Restore ` +
      `both from the same time. To keep this log, stop all processes and rebuild the read models: ${REBUILD_ALL}`,
  )
}
