import { Migration } from '@mikro-orm/migrations'

/** The number and sum of a user's credit entries, beside the balance. Rows of the earlier version have none. */
export class M0240EntryTotals extends Migration {
  override up(): void {
    this.addSql(`alter table credit_balance add column entries integer not null default 0,
      add column entered integer not null default 0, add column last_entry integer`)
  }
}
