import { Migration } from '@mikro-orm/migrations'

/** Passkeys, by credential id, and the challenges that were answered, until they expire. */
export class M0138Passkeys extends Migration {
  override up(): void {
    this.addSql(`
      create table passkey (
        id text primary key, owner uuid not null, name text not null, public_key text not null, counter bigint not null,
        transports text[] not null, created_at timestamptz not null, last_used_at timestamptz
      );
      create index passkey_owner on passkey (owner);
      create table spent_challenge (hash text primary key, expires_at timestamptz not null);
    `)
  }
}
