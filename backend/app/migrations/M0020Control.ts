import { Migration } from '@mikro-orm/migrations'

/** Films that operators took off their public pages. */
export class M0020Control extends Migration {
  override up(): void {
    this.addSql(`
      create table share_removal (
        task_id uuid primary key, user_id uuid not null references user_account on delete cascade, action_id uuid not null,
        at timestamptz not null, reason text not null, removed boolean not null
      );
      create index share_removal_user on share_removal (user_id);
    `)
  }
}
