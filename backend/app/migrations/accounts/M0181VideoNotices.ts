import { Migration } from '@mikro-orm/migrations'

/** Where and whether users are told that a video is done. A subscription ends with its session, all ends with the account. */
export class M0181VideoNotices extends Migration {
  override up(): void {
    this.addSql(`
      alter table user_account add column mail_when_done boolean not null default false;
      create table push_subscription (
        session_id uuid primary key references session (id) on delete cascade,
        user_id uuid not null references user_account (id) on delete cascade,
        endpoint text not null unique, p256dh text not null, auth text not null
      );
      create index push_subscription_owner on push_subscription (user_id);
      create table video_notice (
        task_id uuid primary key, user_id uuid not null references user_account (id) on delete cascade,
        succeeded boolean not null, finished_at timestamptz not null, mail boolean not null
      );
      create index video_notice_owner on video_notice (user_id);
    `)
  }
}
