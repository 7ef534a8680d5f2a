import { Migration } from '@mikro-orm/migrations'

/** Since when an open task has waited for its workflow to start. */
export class M0104UnstartedTasks extends Migration {
  override up(): void {
    this.addSql('alter table open_task add column unstarted_since timestamptz')
  }
}
