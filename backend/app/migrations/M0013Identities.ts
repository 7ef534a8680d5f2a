import { Migration } from '@mikro-orm/migrations'

/** The accounts that people have at the providers with which they sign in. */
export class M0013Identities extends Migration {
  override up(): void {
    this.addSql(`
      create table identity (
        issuer text not null, subject text not null, user_id uuid not null references user_account on delete cascade,
        -- Shown to its owner. The subject is the identity, never the address.
        email text, connected_at timestamptz not null, last_used_at timestamptz not null,
        primary key (issuer, subject), unique (user_id, issuer)
      );
    `)
  }
}
