import { Migration } from '@mikro-orm/migrations'

/** Whether the agreement was cancelled at the provider. False in rows of the earlier version, until the table is rebuilt. */
export class M0243FinalCancellation extends Migration {
  override up(): void {
    this.addSql('alter table current_subscription add column final boolean not null default false')
  }
}
