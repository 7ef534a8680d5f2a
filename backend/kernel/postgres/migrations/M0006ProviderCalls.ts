import { Migration } from '@mikro-orm/migrations'

export class M0006ProviderCalls extends Migration {
  override up(): void {
    // When a provider was called lately, and whether it may be called now: one row each, for all processes.
    this.addSql(`create table call_window (
      name text primary key,
      calls timestamptz[] not null default '{}'
    )`)
    this.addSql(`create table circuit (
      name text primary key,
      failures int not null default 0,
      slowdowns int not null default 0,
      blocked_until timestamptz
    )`)
    this.addSql(`create table operator_alert (
      code text primary key,
      detail text not null,
      first_at timestamptz not null,
      last_at timestamptz not null,
      times int not null,
      cleared_at timestamptz
    )`)
  }
}
