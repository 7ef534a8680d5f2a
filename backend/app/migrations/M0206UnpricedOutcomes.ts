import { Migration } from '@mikro-orm/migrations'

/** Whether the cost of a clip is unknown. The rebuild of version 3 fills it. */
export class M0206UnpricedOutcomes extends Migration {
  override up(): void {
    this.addSql('alter table task_outcome add is_unpriced boolean not null default false')
  }
}
