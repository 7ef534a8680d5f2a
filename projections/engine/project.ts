import type { EventBatch, GlobalPosition, Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { traced } from '#backend/kernel/observability/tracing.ts'
import type { Database } from '#backend/kernel/postgres/query.ts'
import { type Transaction, transaction } from '#backend/kernel/postgres/transaction.ts'
import { applyWrites, type Write, type Written } from './applyWrites.ts'
import type { Parked } from './foldOrPark.ts'
import { isOwn, isRelevant } from './projection.ts'
import type { Target } from './readModel.ts'

/** Another process moved the checkpoint, or a newer version took over the read model. Nothing was written. */
export class Fenced extends Error {
  override name = 'Fenced'
}

/** SQLSTATE classes of values that a table rejects: data exceptions and violated constraints. */
const REJECTED = /^2[23]/

/** Identifies an event, to tell whether a log contains it. */
export type EventIdentity = Pick<Stored, 'stream' | 'revision' | 'id'>

/** A write that moves the checkpoint of its read model. */
export interface Batch extends Write {
  readonly to: GlobalPosition
  /** Last event of its categories up to `to`, if there is any since `from`. */
  readonly seen: Stored | undefined
}

/**
 * Returns what a batch of the log writes into a read model whose checkpoint is at `from`.
 * @param taken position up to which the read model has taken its events
 */
export function batchFor(target: Target, batch: EventBatch, from: GlobalPosition | undefined, taken = from): Batch {
  const { projection } = target
  const own = batch.events.filter((event) => isOwn(projection, event) && event.position > (taken ?? ''))
  return {
    target,
    events: own.filter((event) => isRelevant(projection, event)),
    from,
    to: batch.position,
    seen: own.at(-1),
  }
}

/**
 * Folds batches into the rows of several read models, and writes them with their checkpoints in one transaction. Leaves out
 * read models whose checkpoint was moved or is locked: waiting for one, for example during the last step of its rebuild,
 * would delay all of them. See docs/decisions/0029-one-transaction-for-read-models.md.
 * @throws if a row is rejected; nothing was written then
 */
export const projectTogether = <B extends Batch>(database: Database, batches: readonly B[]): Promise<Written<B>> =>
  write(database, batches, 'skip locked')

const write = <B extends Batch>(database: Database, batches: readonly B[], lock: 'skip locked' | '') =>
  traced(
    'project',
    { read_models: batches.length, events: Math.max(0, ...batches.map(({ events }) => events.length)) },
    () => transaction(database, (tx) => applyWrites(tx, batches, moveCheckpoints(tx, batches, lock))),
  )

/**
 * Writes a batch by itself, and waits if its checkpoint is locked. Parks events that cannot be folded or whose rows Postgres rejects, and returns them. Any other
 * error may pass, so it parks nothing and is thrown.
 * @throws Fenced if the checkpoint is no longer where the batch begins, or of this version
 */
export function projectAlone(database: Database, batch: Batch): Promise<readonly Parked[]> {
  let { from } = batch
  return commitOrPark(batch.events, async (events, rejection) => {
    const last = events.at(-1)
    const end = last === batch.events.at(-1) ? {} : { to: last!.position, seen: last }
    const part: Batch = { ...batch, ...end, events, from, rejection }
    const parked = (await write(database, [part], '')).get(part)
    if (!parked) throw new Fenced(batch.target.name)
    from = part.to
    return parked
  })
}

type Commit = (events: readonly Stored[], rejection?: unknown) => Promise<readonly Parked[]>

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

/** Moves the checkpoints that are still where their batches begin. Returns the names of their read models. */
async function moveCheckpoints(tx: Transaction, batches: readonly Batch[], lock: string): Promise<ReadonlySet<string>> {
  const fences = batches.map(({ target: { name, projection }, from, to, seen }) => {
    const last = seen && { stream: seen.stream, revision: seen.revision, id: seen.id }
    return { name, version: projection.version, from, to, seen: last }
  })
  const moved = await tx.query<{ name: string }>(
    `with free as materialized (
       select c.name, f."to", f.seen from projection_checkpoint c
       join jsonb_to_recordset($1::jsonb) f (name text, version int, "from" text, "to" text, seen jsonb)
         on c.name = f.name and c.version = f.version and c.position is not distinct from f."from"
       for update of c ${lock})
     update projection_checkpoint c
     set position = free."to", last_event = coalesce(free.seen, c.last_event), updated_at = now()
     from free where c.name = free.name returning c.name`,
    [JSON.stringify(fences)],
  )
  return new Set(moved.map(({ name }) => name))
}
