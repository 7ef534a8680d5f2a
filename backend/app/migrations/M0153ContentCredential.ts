import { Migration } from '@mikro-orm/migrations'

/** The installation's certificate for content credentials, unless the operator configures one. */
export class M0153ContentCredential extends Migration {
  override up(): void {
    this.addSql(
      `create table content_credential (
         one boolean primary key default true check (one),
         certificates text not null, sealed_key text not null, made_at timestamptz not null default now()
       )`,
    )
  }
}
