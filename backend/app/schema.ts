import type { EntitySchema } from '@mikro-orm/core'
import type pg from 'pg'
import { PROJECTIONS } from '#projections/all.ts'
import { UserTable } from '../accounts/tables.ts'
import { type Database, migrate, readMigrations } from '../kernel/postgres/orm.ts'
import { ConfigError } from './config/environment.ts'
import { M0110Sessions } from './migrations/accounts/M0110Sessions.ts'
import { M0112PendingRegistrations } from './migrations/accounts/M0112PendingRegistrations.ts'
import { M0135SecurityLog } from './migrations/accounts/M0135SecurityLog.ts'
import { M0136SecondFactors } from './migrations/accounts/M0136SecondFactors.ts'
import { M0138Passkeys } from './migrations/accounts/M0138Passkeys.ts'
import { M0171StartLinks } from './migrations/accounts/M0171StartLinks.ts'
import { M0181VideoNotices } from './migrations/accounts/M0181VideoNotices.ts'
import { M0244RecoveryCodeTimes } from './migrations/accounts/M0244RecoveryCodeTimes.ts'
import { M0255VisitorNetworks } from './migrations/accounts/M0255VisitorNetworks.ts'
import { M0100Baseline, REPLACED_BY_BASELINE } from './migrations/baseline/M0100Baseline.ts'
import { M0101ParkedEvents } from './migrations/M0101ParkedEvents.ts'
import { M0103LeaseTokens } from './migrations/M0103LeaseTokens.ts'
import { M0104UnstartedTasks } from './migrations/M0104UnstartedTasks.ts'
import { M0105Installation } from './migrations/M0105Installation.ts'
import { M0111StreamSnapshots } from './migrations/M0111StreamSnapshots.ts'
import { M0113MasterKey } from './migrations/M0113MasterKey.ts'
import { M0126LedgerHead } from './migrations/M0126LedgerHead.ts'
import { M0131UploadBytes } from './migrations/M0131UploadBytes.ts'
import { M0137OperatorStepUp } from './migrations/M0137OperatorStepUp.ts'
import { M0153ContentCredential } from './migrations/M0153ContentCredential.ts'
import { M0154UnlabelledRequests } from './migrations/M0154UnlabelledRequests.ts'
import { M0163TaskSettings } from './migrations/M0163TaskSettings.ts'
import { M0164OutcomeCosts } from './migrations/M0164OutcomeCosts.ts'
import { M0179Shares } from './migrations/M0179Shares.ts'
import { M0180VideoMarks } from './migrations/M0180VideoMarks.ts'
import { M0205LiveFrames } from './migrations/M0205LiveFrames.ts'
import { M0206UnpricedOutcomes } from './migrations/M0206UnpricedOutcomes.ts'
import { M0207ToldAlerts } from './migrations/M0207ToldAlerts.ts'
import { M0220BackupState } from './migrations/M0220BackupState.ts'
import { M0225MediaRemovals } from './migrations/M0225MediaRemovals.ts'
import { M0231CallCounts } from './migrations/M0231CallCounts.ts'
import { M0232FailingSince } from './migrations/M0232FailingSince.ts'
import { M0240EntryTotals } from './migrations/M0240EntryTotals.ts'
import { M0241ClaimedJobs } from './migrations/M0241ClaimedJobs.ts'
import { M0242AdoptingTask } from './migrations/M0242AdoptingTask.ts'
import { M0243FinalCancellation } from './migrations/M0243FinalCancellation.ts'
import { M0245ToldChannels } from './migrations/M0245ToldChannels.ts'
import { M0250PaymentTransmissions } from './migrations/M0250PaymentTransmissions.ts'
import { M0259FilmMakers } from './migrations/M0259FilmMakers.ts'

export const ENTITIES = [UserTable, ...PROJECTIONS.map(({ table }) => table)] as unknown as EntitySchema[]
export const MIGRATIONS = [
  { name: 'M0100Baseline', class: M0100Baseline },
  { name: 'M0101ParkedEvents', class: M0101ParkedEvents },
  { name: 'M0103LeaseTokens', class: M0103LeaseTokens },
  { name: 'M0104UnstartedTasks', class: M0104UnstartedTasks },
  { name: 'M0105Installation', class: M0105Installation },
  { name: 'M0110Sessions', class: M0110Sessions },
  { name: 'M0111StreamSnapshots', class: M0111StreamSnapshots },
  { name: 'M0112PendingRegistrations', class: M0112PendingRegistrations },
  { name: 'M0113MasterKey', class: M0113MasterKey },
  { name: 'M0126LedgerHead', class: M0126LedgerHead },
  { name: 'M0131UploadBytes', class: M0131UploadBytes },
  { name: 'M0135SecurityLog', class: M0135SecurityLog },
  { name: 'M0136SecondFactors', class: M0136SecondFactors },
  { name: 'M0137OperatorStepUp', class: M0137OperatorStepUp },
  { name: 'M0138Passkeys', class: M0138Passkeys },
  { name: 'M0153ContentCredential', class: M0153ContentCredential },
  { name: 'M0154UnlabelledRequests', class: M0154UnlabelledRequests },
  { name: 'M0163TaskSettings', class: M0163TaskSettings },
  { name: 'M0164OutcomeCosts', class: M0164OutcomeCosts },
  { name: 'M0171StartLinks', class: M0171StartLinks },
  { name: 'M0179Shares', class: M0179Shares },
  { name: 'M0180VideoMarks', class: M0180VideoMarks },
  { name: 'M0181VideoNotices', class: M0181VideoNotices },
  { name: 'M0205LiveFrames', class: M0205LiveFrames },
  { name: 'M0206UnpricedOutcomes', class: M0206UnpricedOutcomes },
  { name: 'M0207ToldAlerts', class: M0207ToldAlerts },
  { name: 'M0220BackupState', class: M0220BackupState },
  { name: 'M0225MediaRemovals', class: M0225MediaRemovals },
  { name: 'M0231CallCounts', class: M0231CallCounts },
  { name: 'M0232FailingSince', class: M0232FailingSince },
  { name: 'M0240EntryTotals', class: M0240EntryTotals },
  { name: 'M0241ClaimedJobs', class: M0241ClaimedJobs },
  { name: 'M0242AdoptingTask', class: M0242AdoptingTask },
  { name: 'M0243FinalCancellation', class: M0243FinalCancellation },
  { name: 'M0244RecoveryCodeTimes', class: M0244RecoveryCodeTimes },
  { name: 'M0245ToldChannels', class: M0245ToldChannels },
  { name: 'M0250PaymentTransmissions', class: M0250PaymentTransmissions },
  { name: 'M0255VisitorNetworks', class: M0255VisitorNetworks },
  { name: 'M0259FilmMakers', class: M0259FilmMakers },
]

/**
 * Migrates the schema to the current version; see {@link migrate}.
 * @throws ConfigError the database is older than the baseline
 */
export const migrateSchema = (database: Database, pool: pg.Pool, onBlocked?: (error: unknown) => void): Promise<void> =>
  migrate(database, pool, currentMigrations, onBlocked)

/** Returns whether all migrations are applied. One query, where {@link migrateSchema} loads the ORM a second time. */
export async function isMigrated(pool: pg.Pool): Promise<boolean> {
  const applied = new Set(await readMigrations(pool))
  return MIGRATIONS.every(({ name }) => applied.has(name))
}

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
