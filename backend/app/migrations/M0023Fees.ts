import { Migration } from '@mikro-orm/migrations'

/** What payment providers kept of sales. */
export class M0023Fees extends Migration {
  override up(): void {
    this.addSql('alter table invoice add column fee_cents int')
  }
}
