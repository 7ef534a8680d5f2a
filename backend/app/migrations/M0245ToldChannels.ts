import { Migration } from '@mikro-orm/migrations'

/** The channels that were last told that an alert is open. Only earlier releases use the column `told`. */
export class M0245ToldChannels extends Migration {
  override up(): void {
    this.addSql(`
      alter table operator_alert add column told_to text[] not null default '{}';
      update operator_alert set told_to = '{mail,webhook}' where told;
    `)
  }
}
