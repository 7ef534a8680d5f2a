import { Migration } from '@mikro-orm/migrations'

/** The public half of the recovery phrase, and when the installation was last copied and proven restorable. */
export class M0220BackupState extends Migration {
  override up(): void {
    this.addSql(`create table backup_state (
      one boolean primary key default true check (one),
      since timestamptz not null default now(),
      phrase_recipient text,
      phrase_at timestamptz,
      folders text[] not null default '{}',
      copied_at timestamptz,
      copied_bytes bigint,
      copied_files int,
      proven_at timestamptz,
      proven_copy timestamptz,
      failure text,
      failed_at timestamptz)`)
    this.addSql('insert into backup_state default values')
  }
}
