import { Migration } from '@mikro-orm/migrations'

/** Public pages of videos, by their secret id. They end with the account. */
export class M0179Shares extends Migration {
  override up(): void {
    this.addSql(`
      create table share (
        id text primary key, task_id uuid not null unique,
        user_id uuid not null references user_account (id) on delete cascade,
        show_prompt boolean not null, show_name boolean not null, width int not null, height int not null,
        views bigint not null default 0, created_at timestamptz not null
      );
      create index share_owner on share (user_id);
    `)
  }
}
