import { Migration } from '@mikro-orm/migrations'

/** Films that operators took off their public pages, daily zeros, and what clips were made with. */
export class M0020Control extends Migration {
  override up(): void {
    this.addSql(`
      create table share_removal (
        task_id uuid primary key, user_id uuid not null references user_account on delete cascade, action_id uuid not null,
        at timestamptz not null, reason text not null, removed boolean not null
      );
      create index share_removal_user on share_removal (user_id);
      create table daily_zero (
        day date primary key, is_zero boolean not null, record text not null, signature text not null, public_key text not null
      );
      alter table task_outcome add column model text, add column engine text, add column credits int;
    `)
  }
}
