import { Migration } from '@mikro-orm/migrations'

export class M0002ReadModels extends Migration {
  override up(): void {
    this.addSql(`create table projection_checkpoint (
      name text primary key,
      version int not null,
      position text,
      updated_at timestamptz not null default now()
    )`)
    this.addSql(`create table video_task (
      id uuid primary key,
      user_id uuid not null,
      task_type text not null,
      status text not null,
      model text not null,
      duration int not null,
      resolution text not null,
      encrypted_prompt text not null,
      camera_movements jsonb not null,
      prompt_optimizer boolean not null,
      first_frame uuid,
      credits int not null,
      credits_consumed int not null,
      priority int not null,
      created_at timestamptz not null,
      finished_at timestamptz,
      error_code text,
      video_size bigint,
      video_duration_ms int
    )`)
    this.addSql('create index video_task_owner on video_task (user_id, created_at desc, id desc)')
    this.addSql(
      `create index video_task_waiting on video_task (priority, created_at) where status in ('Preparing', 'Queueing')`,
    )
    this.addSql('create table open_task (id uuid primary key, user_id uuid not null, priority int not null)')
    this.addSql('create table late_render (id uuid primary key, user_id uuid not null)')
    this.addSql(`create table credit_balance (
      id uuid primary key,
      lots jsonb not null,
      holds jsonb not null,
      captured int not null
    )`)
    this.addSql('create table open_hold (id uuid primary key, user_id uuid not null, held_at timestamptz not null)')
  }
}
