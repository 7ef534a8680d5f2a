import { Migration } from '@mikro-orm/migrations'

/** Whether the operator was last told that an alert is open. */
export class M0207ToldAlerts extends Migration {
  override up(): void {
    this.addSql('alter table operator_alert add column told boolean not null default false')
  }
}
