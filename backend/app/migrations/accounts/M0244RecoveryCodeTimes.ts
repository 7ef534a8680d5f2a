import { Migration } from '@mikro-orm/migrations'

/** When a recovery code was made. Codes of an earlier version count as made by the upgrade. */
export class M0244RecoveryCodeTimes extends Migration {
  override up(): void {
    this.addSql('alter table recovery_code add column created_at timestamptz not null default now()')
  }
}
