import { Migration } from '@mikro-orm/migrations'

/** Fencing tokens of the leases. */
export class M0103LeaseTokens extends Migration {
  override up(): void {
    this.addSql('create table lease_token (name text primary key, token bigint not null)')
  }
}
