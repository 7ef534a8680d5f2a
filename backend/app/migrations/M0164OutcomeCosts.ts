import { Migration } from '@mikro-orm/migrations'

/** What each clip cost the operator, US cents. The rebuild of version 2 fills it. */
export class M0164OutcomeCosts extends Migration {
  override up(): void {
    this.addSql('alter table task_outcome add cents double precision')
  }
}
