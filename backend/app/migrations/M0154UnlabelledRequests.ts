import { Migration } from '@mikro-orm/migrations'

/** Requests for videos without the visible label. They outlive the account, because the law wants them kept six months. */
export class M0154UnlabelledRequests extends Migration {
  override up(): void {
    this.addSql(`
      create table unlabelled_request (
        id bigint generated always as identity primary key, at timestamptz not null,
        user_id uuid not null, email text not null, task_id uuid not null
      );
      create index unlabelled_request_task on unlabelled_request (task_id, user_id);
      create index unlabelled_request_age on unlabelled_request (at);
    `)
  }
}
