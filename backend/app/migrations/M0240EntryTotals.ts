import { Migration } from '@mikro-orm/migrations'

/**
 * The number and sum of a user's credit entries, beside the balance. Null in rows of the earlier version, which writes them
 * until the table is rebuilt.
 */
export class M0240EntryTotals extends Migration {
  override up(): void {
    this.addSql(
      'alter table credit_balance add column entries integer, add column entered integer, add column last_entry integer',
    )
  }
}
