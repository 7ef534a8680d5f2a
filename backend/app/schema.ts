import type { EntitySchema } from '@mikro-orm/core'
import type pg from 'pg'
import { PROJECTIONS } from '#projections/all.ts'
import { UserTable } from '../accounts/tables.ts'
import { type Database, migrate, readMigrations } from '../kernel/postgres/orm.ts'
import { ConfigError } from './config/environment.ts'
import { M0001Baseline } from './migrations/M0001Baseline.ts'
import { M0002ApiKeys } from './migrations/M0002ApiKeys.ts'
import { M0003Packs } from './migrations/M0003Packs.ts'
import { M0004FailureDetails } from './migrations/M0004FailureDetails.ts'
import { M0005Stripe } from './migrations/M0005Stripe.ts'
import { M0006Invoices } from './migrations/M0006Invoices.ts'
import { M0007Codes } from './migrations/M0007Codes.ts'
import { M0008Webhooks } from './migrations/M0008Webhooks.ts'
import { M0009Connections } from './migrations/M0009Connections.ts'
import { M0010Receipts } from './migrations/M0010Receipts.ts'
import { M0012Desk } from './migrations/M0012Desk.ts'
import { M0013Identities } from './migrations/M0013Identities.ts'
import { M0014Joins } from './migrations/M0014Joins.ts'
import { M0015Teams } from './migrations/M0015Teams.ts'
import { M0016Mails } from './migrations/M0016Mails.ts'
import { M0017Lineage } from './migrations/M0017Lineage.ts'
import { M0018Operators } from './migrations/M0018Operators.ts'
import { M0019Cases } from './migrations/M0019Cases.ts'
import { M0020Control } from './migrations/M0020Control.ts'
import { M0021Prompts } from './migrations/M0021Prompts.ts'
import { M0023Fees } from './migrations/M0023Fees.ts'

export const ENTITIES: readonly EntitySchema[] = [UserTable, ...PROJECTIONS.map(({ table }) => table)]
export const MIGRATIONS = [
  { name: 'M0001Baseline', class: M0001Baseline },
  { name: 'M0002ApiKeys', class: M0002ApiKeys },
  { name: 'M0003Packs', class: M0003Packs },
  { name: 'M0004FailureDetails', class: M0004FailureDetails },
  { name: 'M0005Stripe', class: M0005Stripe },
  { name: 'M0006Invoices', class: M0006Invoices },
  { name: 'M0007Codes', class: M0007Codes },
  { name: 'M0008Webhooks', class: M0008Webhooks },
  { name: 'M0009Connections', class: M0009Connections },
  { name: 'M0010Receipts', class: M0010Receipts },
  { name: 'M0012Desk', class: M0012Desk },
  { name: 'M0013Identities', class: M0013Identities },
  { name: 'M0014Joins', class: M0014Joins },
  { name: 'M0015Teams', class: M0015Teams },
  { name: 'M0016Mails', class: M0016Mails },
  { name: 'M0017Lineage', class: M0017Lineage },
  { name: 'M0018Operators', class: M0018Operators },
  { name: 'M0019Cases', class: M0019Cases },
  { name: 'M0020Control', class: M0020Control },
  { name: 'M0021Prompts', class: M0021Prompts },
  { name: 'M0023Fees', class: M0023Fees },
]

/**
 * Migrates the schema to the current version; see {@link migrate}.
 * @throws ConfigError the data was made before version 0.1.0
 */
export async function migrateSchema(
  database: Database,
  pool: pg.Pool,
  onBlocked?: (error: unknown) => void,
): Promise<void> {
  refuseFormerData((await readMigrations(pool)) ?? [])
  await migrate(database, pool, onBlocked)
}

/** Returns whether all migrations are applied. One query, where {@link migrateSchema} loads the ORM a second time. */
export async function isMigrated(pool: pg.Pool): Promise<boolean> {
  const applied = new Set(await readMigrations(pool))
  return MIGRATIONS.every(({ name }) => applied.has(name))
}

/**
 * Refuses the data of versions before the first release, whose migrations the baseline replaced.
 * @param applied names of the migrations of a database or a backup; none in an empty database
 * @throws ConfigError
 */
export function refuseFormerData(applied: readonly string[]): void {
  if (applied.length > 0 && !applied.includes('M0001Baseline'))
    throw new ConfigError(
      `This data was made by a version of Kinora before 0.1.0 (${applied[0]}), which this version cannot read: start with a new DATA_DIR, or an empty database in DATABASE_URL.`,
    )
}
