import { Migration } from '@mikro-orm/migrations'

/**
 * The security log. Rows are never changed. They are deleted after 90 days, or with their account. A throttle or a
 * failure without an account has no user.
 */
export class M0135SecurityLog extends Migration {
  override up(): void {
    this.addSql(`
      create table security_record (
        id bigint generated always as identity primary key, at timestamptz not null,
        user_id uuid references user_account (id) on delete cascade, event text not null,
        browser text, system text, network text
      );
      create index security_record_owner on security_record (user_id, id desc);
      create index security_record_age on security_record (at);
      create index security_record_trouble on security_record (id desc)
        where event in ('sign_in_failed', 'second_factor_failed', 'throttled');
      create function keep_security_record() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' and (old.at < now() - interval '90 days' or (old.user_id is not null
          and not exists (select from user_account where id = old.user_id))) then return old; end if;
        raise exception 'security records are append-only';
      end $$;
      create trigger security_record_kept before update or delete on security_record
        for each row execute function keep_security_record();
    `)
  }
}
