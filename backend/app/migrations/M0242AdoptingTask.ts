import { Migration } from '@mikro-orm/migrations'

/** The task that has adopted a job: it finds the job again if the answer to the adoption was lost. */
export class M0242AdoptingTask extends Migration {
  override up(): void {
    this.addSql('alter table claimed_job add column task_id text;')
  }
}
