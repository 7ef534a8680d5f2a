import { Migration } from '@mikro-orm/migrations'

export class M0004AccountSafety extends Migration {
  override up(): void {
    // Accounts from before keep their address as it is: it was unique, and signing in looks for it as well.
    this.addSql('alter table user_account add column identity text')
    this.addSql('update user_account set identity = email')
    this.addSql('alter table user_account alter column identity set not null')
    this.addSql('alter table user_account add unique (identity)')
    this.addSql('alter table session add column last_used_at timestamptz')
    this.addSql('update session set last_used_at = rotated_at')
    this.addSql('alter table session alter column last_used_at set not null')
    this.addSql('alter table mailbox add column user_id uuid')
    this.addSql('create index mailbox_owner on mailbox (user_id)')
    // Sealed, and gone once it is sent or its user is.
    this.addSql(`create table outgoing_mail (
      id uuid primary key,
      user_id uuid not null references user_account (id) on delete cascade,
      sealed text not null,
      expires_at timestamptz not null
    )`)
    this.addSql('create index outgoing_mail_owner on outgoing_mail (user_id)')
    // Keys are hashes; the instant is in epoch milliseconds.
    this.addSql('create table throttle (key text primary key, used_up_to bigint not null)')
    this.addSql('create index throttle_age on throttle (used_up_to)')
    // Outlives the account, so it holds a keyed hash of the address alone once the account is gone.
    this.addSql('create table free_grant (address_hash text primary key, user_id uuid)')
    this.addSql('create index free_grant_owner on free_grant (user_id)')
    this.addSql(
      'create table erasure (user_id uuid primary key, requested_at timestamptz not null, done_at timestamptz)',
    )
    this.addSql('create index erasure_open on erasure (requested_at) where done_at is null')
  }
}
