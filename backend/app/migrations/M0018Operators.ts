import { Migration } from '@mikro-orm/migrations'

/** Operators beside the one of the environment: how they sign in, and whose sessions and actions are which. */
export class M0018Operators extends Migration {
  override up(): void {
    this.addSql(`
      -- Without a password until the invitation is accepted. Who is an operator, and with which role, is in the log.
      create table operator_login (
        operator_id uuid primary key, email text not null, password_hash text, invitation text unique,
        invited_until timestamptz
      );
      alter table operator_session add column operator_id uuid not null default '00000000-0000-0000-0000-000000000000',
        add column name text, add column role text not null default 'owner';
      create index operator_session_operator on operator_session (operator_id);
      alter table operator_action add column operator text;
      create index desk_action_waiting on desk_action (asked_at) where status = 'waiting';
    `)
  }
}
