import { Migration } from '@mikro-orm/migrations'

/** Fingerprint of the `ENCRYPTION_KEY` that wraps the users' keys. */
export class M0113MasterKey extends Migration {
  override up(): void {
    this.addSql('create table master_key (one boolean primary key default true check (one), fingerprint text not null)')
  }
}
