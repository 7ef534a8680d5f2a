import { Migration } from '@mikro-orm/migrations'

/** Tasks whose files are to be removed. A row goes when its files have. */
export class M0225MediaRemovals extends Migration {
  override up(): void {
    this.addSql(`
      create table media_removal (task_id uuid primary key, requested_at timestamptz not null default now());
      create index media_removal_age on media_removal (requested_at);
    `)
  }
}
