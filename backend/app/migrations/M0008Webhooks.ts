import { Migration } from '@mikro-orm/migrations'

/** Addresses that receive webhooks, and the outbox of everything that is sent to the outside. */
export class M0008Webhooks extends Migration {
  override up(): void {
    this.addSql(`
      create table webhook_endpoint (
        id uuid primary key, user_id uuid not null references user_account (id) on delete cascade,
        name text not null, url text not null, event_types text[] not null,
        secret text not null, hint text not null, former_secret text, former_until timestamptz,
        created_at timestamptz not null, updated_at timestamptz not null,
        disabled_because text, failing_since timestamptz, warned_at timestamptz
      );
      create index webhook_endpoint_owner on webhook_endpoint (user_id);
      create table outbox (
        id uuid primary key, user_id uuid not null references user_account (id) on delete cascade,
        channel text not null, target text not null, about text not null, body text,
        created_at timestamptz not null, expires_at timestamptz,
        state text not null default 'waiting', attempts int not null default 0, due_at timestamptz,
        tried_at timestamptz, took_ms int, status int, answer text, fault text
      );
      create index outbox_due on outbox (target, due_at) where due_at is not null;
      create index outbox_target on outbox (target, created_at desc, id);
      create index outbox_owner on outbox (user_id);
      create index outbox_created on outbox (created_at);
      create table outbox_position (name text primary key, position text);
    `)
  }
}
