import { Migration } from '@mikro-orm/migrations'

/** Events that a read model could not project. */
export class M0101ParkedEvents extends Migration {
  override up(): void {
    this.addSql(`create table parked_event (
      projection text not null,
      event_id text not null,
      position text collate "C" not null,
      row_key text not null,
      stream text not null,
      revision int not null,
      type text not null,
      error text,
      checkpoint text,
      parked_at timestamptz not null default now(),
      primary key (projection, event_id)
    )`)
    this.addSql('create index parked_event_row on parked_event (projection, row_key, position)')
  }
}
