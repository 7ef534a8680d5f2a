import { Migration } from '@mikro-orm/migrations'

export class M0001Accounts extends Migration {
  override up(): void {
    this.addSql(`create table user_account (
      id uuid primary key,
      email text not null unique,
      full_name text not null,
      language text not null,
      password_hash text not null,
      email_verified_at timestamptz,
      created_at timestamptz not null
    )`)
    this.addSql(`create table user_key (user_id uuid primary key, wrapped_key text not null)`)
    this.addSql(`create table session (
      id uuid primary key,
      user_id uuid not null references user_account (id) on delete cascade,
      generation int not null,
      created_at timestamptz not null,
      rotated_at timestamptz not null,
      ended_at timestamptz,
      user_agent text not null
    )`)
    this.addSql('create index session_owner on session (user_id)')
    this.addSql(`create table mail_token (
      hash text primary key,
      user_id uuid not null references user_account (id) on delete cascade,
      purpose text not null,
      expires_at timestamptz not null
    )`)
    this.addSql('create index mail_token_owner on mail_token (user_id)')
    this.addSql(`create table mailbox (
      id uuid primary key,
      recipient text not null,
      subject text not null,
      text text not null,
      html text not null,
      sent_at timestamptz not null
    )`)
    this.addSql('create index mailbox_recipient on mailbox (recipient, sent_at desc)')
    this.addSql(`create table socket_token (
      hash text primary key,
      user_id uuid not null,
      expires_at timestamptz not null
    )`)
    this.addSql(`create table idempotency_key (
      user_id uuid not null,
      key text not null,
      body_hash text not null,
      subject_id uuid not null,
      state text not null,
      updated_at timestamptz not null,
      primary key (user_id, key)
    )`)
    this.addSql(
      'create table image_upload (id uuid primary key, user_id uuid not null, created_at timestamptz not null)',
    )
    // How far a rendering has come: worth nothing after a crash, so it is not logged.
    this.addSql('create unlogged table render_progress (task_id uuid primary key, percent int not null)')
  }
}
