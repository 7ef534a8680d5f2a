import { Migration } from '@mikro-orm/migrations'

/** API keys, and what their orders were sent as. */
export class M0002ApiKeys extends Migration {
  override up(): void {
    this.addSql(`
      create table api_key (
        id uuid primary key, user_id uuid not null references user_account on delete cascade,
        -- The purse that the limits apply to: the id of the first key of a rotation.
        purse_id uuid not null, hash bytea not null unique, hint text not null, name text not null,
        scopes text[] not null, credits_per_day int, credits_per_month int, models text[], networks text[],
        created_at timestamptz not null, expires_at timestamptz, ended_at timestamptz,
        last_used_at timestamptz, last_network text
      );
      create index api_key_user on api_key (user_id);
      create index api_key_expiry on api_key (expires_at) where ended_at is null;
      -- Orders of clients that repeat a call without an idempotency key.
      create table api_order (
        id uuid primary key, key_id uuid not null references api_key on delete cascade, body_hash bytea not null,
        -- The highest count of a repetition, and whether the first attempt has arrived.
        repeats int not null, has_first boolean not null, ordered_at timestamptz not null
      );
      create index api_order_body on api_order (key_id, body_hash, ordered_at);
    `)
  }
}
