import { Migration } from '@mikro-orm/migrations'

/** The id that an installation shares with its log, and the last event that each read model has seen. */
export class M0105Installation extends Migration {
  override up(): void {
    this.addSql('create table installation (one boolean primary key default true check (one), id uuid not null)')
    this.addSql('alter table projection_checkpoint add column last_event jsonb')
  }
}
