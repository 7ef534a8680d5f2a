import { setTimeout as delay } from 'node:timers/promises'
import type { Parked } from './foldOrPark.ts'
import { projectBatch } from './projectBatch.ts'
import { projectTogether, type Write } from './projectTogether.ts'
import type { Database } from './query.ts'

/** Writes a batch as {@link projectBatch} does. */
export type WriteBatch = (write: Write) => Promise<readonly Parked[]>

/**
 * Shortest time from one shared transaction to the next. Under load, batches that arrive within it share a transaction;
 * otherwise nothing waits. See docs/decisions/0052-prepared-and-spaced-projections.md.
 */
const INTERVAL_MS = 20

interface Pending extends Write {
  resolve(parked: Promise<readonly Parked[]> | readonly Parked[]): void
}

/**
 * Creates a {@link WriteBatch} that writes batches of several read models in one transaction: those that arrive together,
 * or while the previous transaction runs. A model that cannot be written with the others, because its checkpoint is
 * locked, was moved, or its rows are rejected, is written by itself, so that it delays and stops no other. See
 * docs/decisions/0029-one-transaction-for-read-models.md. So is a batch behind the head of the log, because transactions
 * side by side catch up faster: docs/decisions/0050-read-models-catch-up-side-by-side.md.
 */
export function createBatchWriter(database: Database): WriteBatch {
  let pending: Pending[] = []
  let writing = false
  let beganAt = Number.NEGATIVE_INFINITY

  async function writeAll(): Promise<void> {
    writing = true
    // Subscriptions that share a read of the log resume one after another before this does.
    await Promise.resolve()
    while (pending.length > 0) {
      const early = beganAt + INTERVAL_MS - performance.now()
      if (early > 0) await delay(early)
      beganAt = performance.now()
      const writes = takeOnePerModel()
      const written = await projectTogether(database, writes).catch(() => undefined)
      for (const write of writes) {
        const { target, batch, from } = write
        write.resolve(written?.get(write) ?? projectBatch(target, database, batch, from))
      }
    }
    writing = false
  }

  function takeOnePerModel(): Pending[] {
    const first = new Map<string, Pending>()
    for (const write of pending) if (!first.has(write.target.name)) first.set(write.target.name, write)
    pending = pending.filter((write) => first.get(write.target.name) !== write)
    return [...first.values()]
  }

  return (write) => {
    if (!write.batch.live) return projectBatch(write.target, database, write.batch, write.from)
    return new Promise((resolve) => {
      pending.push({ ...write, resolve })
      if (!writing) void writeAll()
    })
  }
}
