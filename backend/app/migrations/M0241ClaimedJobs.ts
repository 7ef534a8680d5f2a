import { Migration } from '@mikro-orm/migrations'

/** Recent jobs of the `/v1/videos` engine that belong to a task, by which two processes never take the same one. */
export class M0241ClaimedJobs extends Migration {
  override up(): void {
    this.addSql(`
      create table claimed_job (
        job_id text primary key, adopted boolean not null default false, at timestamptz not null default now()
      );
    `)
  }
}
