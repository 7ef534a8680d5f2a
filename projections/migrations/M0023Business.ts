import { Migration } from '@mikro-orm/migrations'

/** What the operator reads of tasks and credits. */
export class M0023Business extends Migration {
  override up(): void {
    this.addSql(`create table task_outcome (
      id uuid primary key,
      resolution text not null,
      duration int not null,
      ended_at timestamptz,
      error_code text
    )`)
    this.addSql('create index task_outcome_ended on task_outcome (ended_at)')
    this.addSql(`create table credit_flow (
      id uuid primary key,
      kind text not null,
      amount int not null,
      at timestamptz not null
    )`)
    this.addSql('create index credit_flow_at on credit_flow (kind, at) include (amount)')
    this.addSql(
      `create index video_task_open on video_task (status, created_at) where status not in ('Success', 'Fail')`,
    )
    this.addSql('create index invoice_sold on invoice (period_start)')
  }
}
