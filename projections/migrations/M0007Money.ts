import { Migration } from '@mikro-orm/migrations'

export class M0007Money extends Migration {
  override up(): void {
    this.addSql('alter table credit_balance add column debt int not null default 0, drop column captured')
    this.addSql(`create table credit_entry (
      id uuid primary key,
      user_id uuid not null,
      revision int not null,
      kind text not null,
      amount int not null,
      reason text not null,
      task_id uuid,
      lot_id text,
      created_at timestamptz not null
    )`)
    this.addSql('create index credit_entry_account on credit_entry (user_id, revision)')
    this.addSql(`create table current_subscription (
      id uuid primary key,
      agreement_id text,
      tier text,
      state text not null,
      trial boolean not null,
      cancelled boolean not null,
      price_cents int,
      currency text,
      period_start timestamptz,
      period_end timestamptz,
      failed_at timestamptz,
      grace_until timestamptz,
      pending text,
      scheduled text,
      scheduled_tier text,
      unclosed jsonb not null
    )`)
    this.addSql(`create table invoice (
      id uuid primary key,
      user_id uuid not null,
      sale_id text not null,
      agreement_id text not null,
      tier text not null,
      amount_cents int not null,
      refunded_cents int not null,
      currency text not null,
      credits int not null,
      period_start timestamptz not null,
      period_end timestamptz not null
    )`)
    this.addSql('create index invoice_buyer on invoice (user_id, period_start desc)')
    this.addSql('create index invoice_sale on invoice (sale_id)')
  }
}
