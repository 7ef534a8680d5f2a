import { Migration } from '@mikro-orm/migrations'

/**
 * Second factors. An owner is a user, or the operator with the nil UUID. Secrets are sealed with the owner's key, and
 * recovery codes are stored as hashes. An authenticator without `confirmed_at` does not count yet.
 */
export class M0136SecondFactors extends Migration {
  override up(): void {
    this.addSql(`
      create table authenticator (
        owner uuid primary key, sealed text not null, created_at timestamptz not null, confirmed_at timestamptz,
        last_step bigint not null default 0
      );
      create table recovery_code (hash text primary key, owner uuid not null);
      create index recovery_code_owner on recovery_code (owner);
      alter table session add column stepped_up_at timestamptz;
    `)
  }
}
