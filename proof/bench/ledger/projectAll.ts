import type { TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { PROJECTIONS } from '#projections/all.ts'
import { createBatchWriter, type WriteBatch } from '#projections/engine/batchWriter.ts'
import { createLivenessReports } from '#projections/engine/livenessReports.ts'
import { tableName } from '#projections/engine/readModel.ts'
import { runProjection } from '#projections/engine/runProjection.ts'
import { sharedReads } from '#projections/engine/sharedReads.ts'

export const TABLES: readonly string[] = PROJECTIONS.map(tableName)

const silent = { info() {}, error: (detail: object, message: string) => console.error(message, detail) }

/** Empties the tables of all read models, so that they catch up from the beginning of the log. */
export const emptyReadModels = ({ pool }: Pick<TemporaryDatabase, 'pool'>) =>
  pool.query(`truncate projection_checkpoint, ${TABLES.map((table) => `"${table}"`)}`)

/** Runs all read models side by side until each has reached the end of the log. */
export async function projectAll(
  { database, store }: Pick<TemporaryDatabase, 'database' | 'store'>,
  write: WriteBatch = createBatchWriter(database),
): Promise<void> {
  const reports = createLivenessReports(database)
  const run = (projection: (typeof PROJECTIONS)[number]) => {
    const halt = new AbortController()
    const { signal } = halt
    return runProjection(projection, {
      ...{ store: sharedReads(store, PROJECTIONS), database, write, reports, log: silent, signal },
      onLive: () => halt.abort(),
    })
  }
  await Promise.all(PROJECTIONS.map(run))
}
