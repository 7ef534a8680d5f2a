import { Migration } from '@mikro-orm/migrations'

/** When the newest signed head last included the whole ledger; at first, when this table was created. */
export class M0126LedgerHead extends Migration {
  override up(): void {
    this.addSql(
      'create table ledger_head (one boolean primary key default true check (one), current_at timestamptz not null)',
    )
    this.addSql('insert into ledger_head (current_at) values (clock_timestamp())')
  }
}
