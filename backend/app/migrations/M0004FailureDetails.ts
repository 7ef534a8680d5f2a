import { Migration } from '@mikro-orm/migrations'

/** What the engine said of a failed task, for the operator. */
export class M0004FailureDetails extends Migration {
  override up(): void {
    this.addSql('alter table video_task add column error_detail text')
  }
}
