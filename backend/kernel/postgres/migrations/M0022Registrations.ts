import { Migration } from '@mikro-orm/migrations'

/** Accounts counted by the day they were opened, in the operator's zone. */
export class M0022Registrations extends Migration {
  override up(): void {
    this.addSql('create table registration_day (day date primary key, registered int not null, verified int not null)')
    this.addSql('create index user_account_newest on user_account (created_at desc, id desc)')
    // Accounts are rows, not events: the table itself tells of each change, whoever makes it.
    this.addSql(`create function count_registration() returns trigger language plpgsql as $$
      declare zone text := (select coalesce(nullif(time_zone, ''), 'UTC') from board_state);
      begin
        if tg_op <> 'INSERT' then
          update registration_day set registered = registered - 1,
            verified = verified - (old.email_verified_at is not null)::int
          where day = (old.created_at at time zone zone)::date;
        end if;
        if tg_op <> 'DELETE' then
          insert into registration_day as d (day, registered, verified)
          values ((new.created_at at time zone zone)::date, 1, (new.email_verified_at is not null)::int)
          on conflict (day) do update set registered = d.registered + 1, verified = d.verified + excluded.verified;
        end if;
        return null;
      end $$`)
    this.addSql(`create trigger user_account_counted after insert or delete or update of email_verified_at, created_at
      on user_account for each row execute function count_registration()`)
  }
}
