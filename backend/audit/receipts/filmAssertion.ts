import type pg from 'pg'
import { readHold } from '#projections/credits/readCreditEntries.ts'
import type { EventStore } from '../../kernel/eventsourcing/eventStore.port.ts'
import { eventHash } from '../../kernel/eventsourcing/pure/eventHash.ts'
import type { ReceiptAssertion } from '../../kernel/media/marks/manifest.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { readCheckpoints } from '../heads/ledgerTree.ts'
import { readHeld } from './charge.ts'

interface AssertionDeps {
  readonly store: EventStore
  readonly pool: pg.Pool
  readonly database: Database
  readonly publicUrl: () => string
}

interface Made {
  readonly taskId: string
  readonly model: string
  readonly engine: string | null
  readonly engine_model: string | null
}

/**
 * Returns what a film's content credentials say of its charge. The file is signed before the credits are captured, so
 * they name the hold. They name no user.
 */
export async function filmAssertion(
  { store, pool, database, publicUrl }: AssertionDeps,
  { taskId, model, engine, engine_model }: Made,
): Promise<ReceiptAssertion | undefined> {
  const held = await readHeld(store, (id) => readHold(database, id), taskId)
  if (!held) return undefined
  const [newest] = await readCheckpoints(pool, 1)
  const { size, root, createdAt } = newest?.checkpoint ?? {}
  const hold = { event: eventHash(held.hold), position: held.hold.position }
  const head = newest ? { size: size!, root: root!, createdAt: createdAt! } : null
  const made = { task: taskId, model, engine, engine_model }
  return { version: 1, installation: publicUrl(), ...made, credits: held.credits, hold, head }
}
