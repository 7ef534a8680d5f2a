import { Migration } from '@mikro-orm/migrations'

/** Visits in daily partitions, and what is counted of them. */
export class M0021Traffic extends Migration {
  override up(): void {
    this.addSql('alter table page_view rename to page_view_before')
    this.addSql('drop index page_view_at')
    this.addSql(`create table page_view (
      at timestamptz not null,
      event_type text not null,
      path text not null,
      status_code smallint not null,
      bot boolean not null,
      visitor uuid not null,
      session_id text,
      user_id uuid,
      referrer text,
      user_agent text,
      ip inet
    ) partition by range (at)`)
    this.addSql('create index page_view_at on page_view (at)')
    this.addSql('create index page_view_user on page_view (user_id) where user_id is not null')
    this.addSql(MAKE_PARTITION)
    // Where the board stands: the zone that days and hours are counted in, and until when addresses are cut short.
    this.addSql(`create table board_state (
      id boolean primary key default true check (id),
      time_zone text not null,
      addresses_cut_to timestamptz not null
    )`)
    // No zone yet: the first start counts what is there.
    this.addSql(`insert into board_state (time_zone, addresses_cut_to) values ('', '2000-01-01')`)
    this.addSql('create table visitor_salt (day date primary key, salt bytea not null)')
    this.addSql('create table day_visitor (day date not null, visitor uuid not null, primary key (day, visitor))')
    this.addSql(`create table traffic_day (
      day date primary key, pv int not null, uv int not null, pages int not null
    ) with (fillfactor = 50)`)
    this.addSql(`create table traffic_hour (
      day date not null, hour smallint not null, pv int not null, primary key (day, hour)
    ) with (fillfactor = 50)`)
    this.addSql(`create table traffic_page (
      day date not null, path text not null, pv int not null, primary key (day, path)
    ) with (fillfactor = 70)`)
    this.addSql(`select page_view_partition(day) from
      (select distinct (at at time zone 'UTC')::date as day from page_view_before) days`)
    this.addSql(`insert into page_view (at, event_type, path, status_code, bot, visitor, session_id, user_id, referrer,
        user_agent, ip)
      select at, event_type, left(path, 600), status_code, false,
        left(encode(sha256(convert_to(coalesce(session_id, concat((at at time zone 'UTC')::date, ip, user_agent)), 'UTF8')),
          'hex'), 32)::uuid,
        session_id, user_id, referrer, user_agent, ip
      from page_view_before order by at`)
    this.addSql('drop table page_view_before')
  }
}

/**
 * Makes the partition of a day (UTC), where there is none. It is attached when it is ready, since that stops nobody from
 * writing to the other days. Of several who make it at once, one does; the others wait for it, and then may still not see it
 * by its name: that they only learn from the attempt.
 */
const MAKE_PARTITION = `create function page_view_partition(day date) returns void language plpgsql as $$
  declare name text := 'page_view_' || to_char(day, 'YYYYMMDD');
  begin
    if to_regclass(name) is not null then return; end if;
    perform pg_advisory_xact_lock(7314203);
    execute format('create table %I (like page_view including all)', name);
    execute format('alter table page_view attach partition %I for values from (%L) to (%L)', name,
      day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
  exception when duplicate_table then null;
  end $$`
