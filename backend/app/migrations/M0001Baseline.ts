import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Migration } from '@mikro-orm/migrations'

/** The schema of version 0.1.0. */
export class M0001Baseline extends Migration {
  override up(): void {
    this.addSql(readFileSync(path.join(import.meta.dirname, 'baseline.sql'), 'utf8'))
  }
}
