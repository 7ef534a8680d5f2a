import { Migration } from '@mikro-orm/migrations'

/** When the first of a provider's consecutive failures occurred. */
export class M0232FailingSince extends Migration {
  override up(): void {
    this.addSql('alter table circuit add column failing_since timestamptz')
  }
}
