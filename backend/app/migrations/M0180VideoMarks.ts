import { Migration } from '@mikro-orm/migrations'

/** Favourites and folders. They end with the account. */
export class M0180VideoMarks extends Migration {
  override up(): void {
    this.addSql(`
      create table video_mark (
        task_id uuid primary key, user_id uuid not null references user_account (id) on delete cascade,
        favourite boolean not null default false, folder text
      );
      create index video_mark_owner on video_mark (user_id);
    `)
  }
}
