import { Migration } from '@mikro-orm/migrations'

/** Each verification link carries the registration that it activates. Null: that of the account. */
export class M0112PendingRegistrations extends Migration {
  override up(): void {
    this.addSql('alter table mail_token add column registration jsonb')
  }
}
