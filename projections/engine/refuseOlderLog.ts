import type { EventStore } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Database } from './readModel.ts'

/** The log ends before what read models have read already: it was restored from an older backup than the database. */
export class OlderLog extends Error {
  override name = 'OlderLog'
}

const BUILD_ANEW = String.raw`delete from projection_checkpoint where name like '%\_\_v%'; update projection_checkpoint set version = 0, position = null;`

/**
 * Read models that are ahead of the log would show what never happened, and would pass over what happens next.
 * @throws OlderLog with what to do
 */
export async function refuseOlderLog(database: Database, store: EventStore): Promise<void> {
  const em = database.em.fork()
  const [furthest] = await em.execute<{ name: string; position: string }[]>(
    'select name, position from projection_checkpoint where position is not null order by position collate "C" desc limit 1',
  )
  if (!furthest) return
  const head = await store.head()
  // Positions of one store are of one length.
  if (head !== undefined && furthest.position.length === head.length && furthest.position <= head) return
  throw new OlderLog(
    `The event log ends at ${head ?? 'its beginning'}, but the read model ${furthest.name} has read up to ` +
      `${furthest.position}: the log was restored from an older backup than the database, or is another one. Restore ` +
      'both as of the same time; or, to go on with this log, stop every process and have the read models built anew: ' +
      BUILD_ANEW,
  )
}
