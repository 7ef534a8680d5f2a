import { Migration } from '@mikro-orm/migrations'

/** Cases of the desk. */
export class M0019Cases extends Migration {
  override up(): void {
    this.addSql(`
      create table desk_case (
        id uuid primary key, kind text not null, subject text not null, user_id uuid, sale_id text, amount int, currency text,
        detail text, due_at timestamptz, owner text, outcome text, note text,
        opened_at timestamptz not null, closed_at timestamptz
      );
      create index desk_case_open on desk_case (due_at, opened_at desc, id) where closed_at is null;
      create index desk_case_closed on desk_case (closed_at desc) where closed_at is not null;
      create index desk_case_user on desk_case (user_id, opened_at desc);
    `)
  }
}
