import { Migration } from '@mikro-orm/migrations'

/** Snapshots of long streams. `state` is text, not jsonb, because the MAC covers its exact bytes. */
export class M0111StreamSnapshots extends Migration {
  override up(): void {
    this.addSql(`create table stream_snapshot (
      stream text collate "C" primary key,
      version int not null,
      revision bigint not null,
      hash text not null,
      state text not null,
      mac bytea not null,
      saved_at timestamptz not null default now()
    )`)
  }
}
