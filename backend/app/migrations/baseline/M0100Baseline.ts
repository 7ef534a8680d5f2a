import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Migration } from '@mikro-orm/migrations'

/** The schema of the first release. */
export class M0100Baseline extends Migration {
  override up(): void {
    this.addSql(readFileSync(path.join(import.meta.dirname, 'baseline.sql'), 'utf8'))
  }
}

/** Migrations that the baseline replaces. A database or a backup that lists all of them has the baseline's schema. */
export const REPLACED_BY_BASELINE: readonly string[] = [
  'M0001Accounts',
  'M0002ReadModels',
  'M0003PageViews',
  'M0004AccountSafety',
  'M0005Workspace',
  'M0006ProviderCalls',
  'M0007Money',
  'M0008Payments',
  'M0012ChainHeads',
  'M0020Operator',
  'M0021Traffic',
  'M0022Registrations',
  'M0023Business',
  'M0030LiveProjections',
  'M0031MediaFolder',
  'M0050KeyRing',
  'M0051UncountedViews',
]
