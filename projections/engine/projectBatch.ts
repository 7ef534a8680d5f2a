import type { EventBatch, GlobalPosition, Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { applyEvents } from './applyEvents.ts'
import type { Parked } from './foldOrPark.ts'
import { isRelevant } from './projection.ts'
import type { Database } from './query.ts'
import type { Target } from './readModel.ts'
import { inTransaction } from './transaction.ts'

/** Another process moved the checkpoint, or a newer version took over the read model. The batch was rolled back. */
export class Fenced extends Error {
  override name = 'Fenced'
}

/** SQLSTATE classes of values that a table rejects: data exceptions and violated constraints. */
const REJECTED = /^2[23]/

/** Identifies an event, to tell whether a log contains it. */
export type EventIdentity = Pick<Stored, 'stream' | 'revision' | 'id'>

export const identityOf = ({ stream, revision, id }: Stored): EventIdentity => ({ stream, revision, id })

type Commit = (events: readonly Stored[], rejection?: unknown) => Promise<readonly Parked[]>

/**
 * Folds a batch into its rows and writes them with the checkpoint in one transaction. Parks events that cannot be folded
 * or whose rows Postgres rejects, and returns them. Any other error may pass, so it parks nothing and is thrown.
 * @param from checkpoint position before the batch
 * @throws Fenced if the checkpoint no longer has this position and version
 */
export function projectBatch(
  target: Target,
  database: Database,
  batch: EventBatch,
  from: GlobalPosition | undefined,
): Promise<readonly Parked[]> {
  const { projection, name } = target
  const last = batch.events.findLast((event) => isRelevant(projection, event))
  let checkpoint = from
  return commitOrPark(
    batch.events.filter((event) => isRelevant(projection, event)),
    async (events, rejection) => {
      const isWhole = events.at(-1) === last
      const position = isWhole ? batch.position : events.at(-1)!.position
      const seen = (isWhole ? batch.events : events).at(-1)
      const parked = await inTransaction(database, (tx) => {
        const fence = async () => {
          const fenced = await tx.execute(
            `update projection_checkpoint
             set position = ?, last_event = coalesce(?::jsonb, last_event), updated_at = now()
             where name = ? and version = ? and position is not distinct from ?::text returning name`,
            [position, seen ? JSON.stringify(identityOf(seen)) : null, name, projection.version, checkpoint ?? null],
          )
          if (fenced.length === 0) throw new Fenced(name)
        }
        return applyEvents(tx, target, events, { lock: fence(), from: checkpoint, position, rejection })
      })
      checkpoint = position
      return parked
    },
  )
}

/** Commits events together. If Postgres rejects their rows, bisects them until only rejected events are left to park. */
export async function commitOrPark(events: readonly Stored[], commit: Commit): Promise<readonly Parked[]> {
  try {
    return await commit(events)
  } catch (error) {
    if (!REJECTED.test((error as { code?: string }).code ?? '')) throw error
    if (events.length < 2) return commit(events, error)
    const middle = events.length >> 1
    const parked = await commitOrPark(events.slice(0, middle), commit)
    return [...parked, ...(await commitOrPark(events.slice(middle), commit))]
  }
}
