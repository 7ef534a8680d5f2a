import { Migration } from '@mikro-orm/migrations'

/** Prices that programs have asked for, and connections: keys that clients hold by OAuth. */
export class M0009Connections extends Migration {
  override up(): void {
    this.addSql(`
      create table quote (
        id uuid primary key, user_id uuid not null references user_account on delete cascade,
        -- The fields of the order, encrypted.
        sealed_order text not null, credits int not null, valid_until timestamptz not null
      );
      create index quote_end on quote (valid_until);

      -- The key of a connection has no hash: its tokens are in connection_token.
      alter table api_key alter column hash drop not null,
        add column client_id text, add column client_host text;
      create index api_key_client on api_key (client_id) where client_id is not null;
      create table oauth_client (
        id uuid primary key, name text not null, redirect_uris text[] not null, created_at timestamptz not null
      );
      create index oauth_client_created on oauth_client (created_at);
      create table connection_token (
        hash bytea primary key, key_id uuid not null references api_key on delete cascade,
        -- code, access or refresh
        kind text not null, expires_at timestamptz not null, used_at timestamptz,
        -- What the exchange of a code must match.
        redirect_uri text, challenge text
      );
      create index connection_token_key on connection_token (key_id);
      create index connection_token_expiry on connection_token (expires_at);
    `)
  }
}
