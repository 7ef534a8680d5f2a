import { Migration } from '@mikro-orm/migrations'

export class M0003PageViews extends Migration {
  override up(): void {
    this.addSql(`create table page_view (
      id bigint generated always as identity primary key,
      at timestamptz not null,
      event_type text not null,
      path text not null,
      status_code smallint not null,
      referrer text,
      user_agent text,
      session_id text,
      user_id uuid,
      ip cidr
    )`)
    this.addSql('create index page_view_at on page_view (at)')
  }
}
