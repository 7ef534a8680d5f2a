import type { TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { PROJECTIONS } from '#projections/all.ts'
import { tableName } from '#projections/engine/readModel.ts'

export const TABLES: readonly string[] = PROJECTIONS.map(tableName)

/** Empties the tables of all read models, so that they catch up from the beginning of the log. */
export const emptyReadModels = ({ pool }: Pick<TemporaryDatabase, 'pool'>) =>
  pool.query(`truncate projection_checkpoint, ${TABLES.map((table) => `"${table}"`)}`)
