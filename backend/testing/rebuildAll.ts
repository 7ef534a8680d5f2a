import type pg from 'pg'
import { PROJECTIONS } from '#projections/all.ts'
import type { AnyProjection } from '#projections/engine/projection.ts'
import { tableName } from '#projections/engine/readModel.ts'
import { rebuild } from '#projections/engine/rebuild.ts'
import { projectLog } from '#projections/testing/projectLog.ts'
import { ENTITIES, MIGRATIONS } from '../app/schema.ts'
import { createPostgresEventStore } from '../kernel/eventsourcing/postgres/postgresEventStore.ts'
import { openDatabase } from '../kernel/postgres/orm.ts'

export interface Rebuilt {
  readonly name: string
  /** All rows as text, ordered by id: `live` as updated incrementally, `rebuilt` as rebuilt from the log. */
  readonly live: readonly string[]
  readonly rebuilt: readonly string[]
}

/** Updates every read model to the head of the log, then rebuilds it. */
export async function rebuildAll(connection: pg.ClientConfig, pool: pg.Pool): Promise<Rebuilt[]> {
  const database = await openDatabase(connection, ENTITIES, MIGRATIONS)
  const store = createPostgresEventStore(pool)
  const log = { info: () => {}, error: (detail: object) => console.error(detail) }
  const rowsOf = async (projection: AnyProjection) => {
    const { rows } = await pool.query<{ row: string }>(
      `select t::text as row from "${tableName(projection)}" t order by id`,
    )
    return rows.map(({ row }) => row)
  }
  const results: Rebuilt[] = []
  await projectLog(PROJECTIONS, { store, database })
  for (const projection of PROJECTIONS) {
    const live = await rowsOf(projection)
    const raised = { ...projection, version: projection.version + 1 }
    await rebuild(raised, { store, database, log, signal: new AbortController().signal })
    results.push({ name: projection.name, live, rebuilt: await rowsOf(projection) })
  }
  await store.close()
  await database.close()
  return results
}
