import { Migration } from '@mikro-orm/migrations'

export class M0008Payments extends Migration {
  override up(): void {
    this.addSql(`create table payment_notice (
      id text primary key,
      type text not null,
      object_id text not null,
      subject jsonb not null,
      received_at timestamptz not null,
      read_at timestamptz,
      outcome text,
      unique (type, object_id)
    )`)
    this.addSql('create index payment_notice_waiting on payment_notice (received_at) where outcome is null')
    this.addSql('create table moved_clock (id boolean primary key check (id), offset_ms bigint not null)')
    this.addSql(`create table sandbox_agreement (
      id text primary key,
      request_id text not null unique,
      user_id uuid not null,
      tier text not null,
      price_cents int not null,
      status text not null,
      status_at timestamptz not null,
      starts_at timestamptz,
      next_billing_at timestamptz,
      failed_at timestamptz,
      return_url text not null,
      cancel_url text not null,
      language text not null
    )`)
    this.addSql(`create table sandbox_sale (
      id text primary key,
      agreement_id text not null references sandbox_agreement (id),
      amount_cents int not null,
      refunded_cents int not null default 0,
      sold_at timestamptz not null
    )`)
    this.addSql(`create table sandbox_webhook (
      id text primary key,
      body text not null,
      made_at timestamptz not null,
      delivered_at timestamptz
    )`)
    this.addSql(`create table sent_reminder (user_id uuid not null, key text not null, primary key (user_id, key))`)
  }
}
