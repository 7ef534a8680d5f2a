import type { EntitySchema } from '@mikro-orm/core'
import type pg from 'pg'
import { PROJECTIONS } from '#projections/all.ts'
import { UserTable } from '../accounts/tables.ts'
import { type Database, migrate } from '../kernel/postgres/orm.ts'
import { ConfigError } from './config/environment.ts'
import { M0100Baseline, REPLACED_BY_BASELINE } from './migrations/M0100Baseline.ts'

export const ENTITIES = [UserTable, ...PROJECTIONS.map(({ table }) => table)] as unknown as EntitySchema[]
export const MIGRATIONS = [{ name: 'M0100Baseline', class: M0100Baseline }]

/**
 * Migrates the schema to the current version; see {@link migrate}.
 * @throws ConfigError the database is older than the baseline
 */
export const migrateSchema = (database: Database, pool: pg.Pool): Promise<void> =>
  migrate(database, pool, currentMigrations)

/**
 * Returns the applied migrations of a database or backup, with the baseline in place of the migrations that it
 * replaces.
 * @throws ConfigError the database or backup has some of the migrations that the baseline replaces, but not all
 */
export function currentMigrations(listed: readonly string[]): readonly string[] {
  const missing = REPLACED_BY_BASELINE.filter((name) => !listed.includes(name))
  if (missing.length === REPLACED_BY_BASELINE.length) return listed
  if (missing.length > 0)
    throw new ConfigError(
      `The data is from an older version, without ${missing.join(', ')}: upgrade through version 0.1`,
    )
  const others = listed.filter((name) => !REPLACED_BY_BASELINE.includes(name))
  return [...new Set(['M0100Baseline', ...others])]
}
