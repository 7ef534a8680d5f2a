import { Migration } from '@mikro-orm/migrations'

/** Operators' actions, the suspension of accounts, and notes about people. */
export class M0012Desk extends Migration {
  override up(): void {
    this.addSql(`
      create table desk_action (
        id uuid primary key, kind text not null, subject text not null, user_id uuid not null, amount int, currency text,
        reason text not null, operator text not null, status text not null, why text,
        asked_at timestamptz not null, ended_at timestamptz
      );
      create index desk_action_user on desk_action (user_id, asked_at desc);
      create index desk_action_asked on desk_action (asked_at desc, id desc);
      create index desk_action_open on desk_action (id) where status in ('asked', 'approved');
      create table sent_mail (
        id uuid primary key, user_id uuid not null references user_account on delete cascade, at timestamptz not null,
        subject text not null
      );
      create index sent_mail_user on sent_mail (user_id, id desc);
      create index sent_mail_at on sent_mail (at);
      create index invoice_agreement on invoice (agreement_id);
      create index invoice_document_number on invoice_document (number);
      create index api_key_hint on api_key (hint);
      create index user_account_name on user_account (lower(full_name) text_pattern_ops);
      create index user_account_email on user_account (email text_pattern_ops);
      create table desk_effect (action_id uuid primary key, at timestamptz not null);
      create table suspension (
        user_id uuid primary key references user_account on delete cascade, action_id uuid not null,
        at timestamptz not null, suspended boolean not null
      );
      create table desk_note (
        id uuid primary key, user_id uuid not null references user_account on delete cascade, at timestamptz not null,
        operator text not null, text text not null
      );
      create index desk_note_user on desk_note (user_id, id desc);
    `)
  }
}
