import { Migration } from '@mikro-orm/migrations'

/** Cases of the desk, and actions that wait for their time. */
export class M0019Cases extends Migration {
  override up(): void {
    this.addSql(`
      alter table desk_action add column due_at timestamptz;
      drop index desk_action_open;
      create index desk_action_open on desk_action (id) where status in ('asked', 'approved', 'scheduled');
      create index desk_action_due on desk_action (due_at) where status = 'scheduled';
      create table desk_case (
        id uuid primary key, kind text not null, subject text not null, user_id uuid, sale_id text, amount int, currency text,
        detail text, due_at timestamptz, owner text, outcome text, note text,
        opened_at timestamptz not null, closed_at timestamptz
      );
      create index desk_case_open on desk_case (due_at, opened_at desc, id) where closed_at is null;
      create index desk_case_closed on desk_case (closed_at desc) where closed_at is not null;
      create table video_download (
        task_id uuid not null, user_id uuid not null references user_account on delete cascade, at timestamptz not null
      );
      create index video_download_user on video_download (user_id, at);
      create index video_download_task on video_download (task_id, at);
      create table desk_bulk (
        id uuid primary key, kind text not null, operator text not null, reason text not null, count int not null,
        credits int not null, status text not null, done int, failed int, asked_at timestamptz not null
      );
      create index desk_bulk_asked on desk_bulk (asked_at desc, id);
      create index desk_action_retried on desk_action (subject) where kind = 'retry_task';
      create index video_task_failed on video_task (finished_at desc) where status = 'Fail';
      create index desk_case_user on desk_case (user_id, opened_at desc);
    `)
  }
}
