-- accounts

create table user_account (
  id uuid primary key,
  email text not null unique,
  -- Normalised email address: allows one account per mailbox.
  identity text not null unique,
  full_name text not null,
  language text not null,
  password_hash text not null,
  email_verified_at timestamptz,
  created_at timestamptz not null
);
create index user_account_newest on user_account (created_at desc, id desc);
create table user_key (user_id uuid primary key, wrapped_key text not null);
-- Keys derived from an earlier ENCRYPTION_KEY that are still needed, sealed with the current one.
create table key_ring (purpose text not null, sealed text not null, rotated_at timestamptz not null);
create table session (
  id uuid primary key, user_id uuid not null references user_account (id) on delete cascade, generation int not null,
  created_at timestamptz not null, rotated_at timestamptz not null, last_used_at timestamptz not null,
  ended_at timestamptz, user_agent text not null
);
create index session_owner on session (user_id);
create table mail_token (
  hash text primary key, user_id uuid not null references user_account (id) on delete cascade, purpose text not null,
  expires_at timestamptz not null
);
create index mail_token_owner on mail_token (user_id);
-- Encrypted emails. A row is deleted when its email is sent or the account is deleted.
create table outgoing_mail (
  id uuid primary key, user_id uuid not null references user_account (id) on delete cascade, sealed text not null,
  expires_at timestamptz not null
);
create index outgoing_mail_owner on outgoing_mail (user_id);
create table sent_reminder (user_id uuid not null, key text not null, primary key (user_id, key));
-- Keys are hashes; `used_up_to` is in epoch milliseconds.
create table throttle (key text primary key, used_up_to bigint not null);
create index throttle_age on throttle (used_up_to);
-- Kept after the account is deleted, with only a keyed hash of the email address.
create table free_grant (address_hash text primary key, user_id uuid);
create index free_grant_owner on free_grant (user_id);
create table erasure (user_id uuid primary key, requested_at timestamptz not null, done_at timestamptz);
create index erasure_open on erasure (requested_at) where done_at is null;

-- analytics

create table page_view (
  at timestamptz not null, event_type text not null, path text not null, status_code smallint not null,
  bot boolean not null, visitor uuid not null, session_id text, user_id uuid, referrer text, user_agent text, ip inet
) partition by range (at);
create index page_view_at on page_view (at);
create index page_view_user on page_view (user_id) where user_id is not null;
-- Creates the partition of a UTC day if it is missing. Its table and indexes are created before it is attached, so that
-- writers to other days are not blocked. `duplicate_table` means that a concurrent call has created it.
create function page_view_partition(day date) returns void language plpgsql as $$
  declare name text := 'page_view_' || to_char(day, 'YYYYMMDD');
  begin
    if to_regclass(name) is not null then return; end if;
    perform pg_advisory_xact_lock(7314203);
    execute format('create table %I (like page_view including all)', name);
    execute format('alter table page_view attach partition %I for values from (%L) to (%L)', name,
      day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
  exception when duplicate_table then null;
  end $$;
-- Queue of views to be counted, usually within 100 ms.
create table uncounted_view (at timestamptz not null, path text not null, visitor uuid not null);
-- The time zone of the counted days and hours, and the time up to which addresses are truncated.
create table board_state (
  id boolean primary key default true check (id), time_zone text not null, addresses_cut_to timestamptz not null
);
-- The first start sets the time zone.
insert into board_state (time_zone, addresses_cut_to) values ('', '2000-01-01');
create table visitor_salt (day date primary key, salt bytea not null);
create table day_visitor (day date not null, visitor uuid not null, primary key (day, visitor));
create table traffic_day (day date primary key, pv int not null, uv int not null, pages int not null)
  with (fillfactor = 50);
create table traffic_hour (day date not null, hour smallint not null, pv int not null, primary key (day, hour))
  with (fillfactor = 50);
create table traffic_page (day date not null, path text not null, pv int not null, primary key (day, path))
  with (fillfactor = 70);

-- accounts: registrations per day. Accounts are rows, not events, so a trigger counts every change.

create table registration_day (day date primary key, registered int not null, verified int not null);
create function count_registration() returns trigger language plpgsql as $$
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
  end $$;
create trigger user_account_counted after insert or delete or update of email_verified_at, created_at
  on user_account for each row execute function count_registration();

-- operators

create table operator_session (hash text primary key, created_at timestamptz not null, expires_at timestamptz not null);
create table operator_action (
  id bigint generated always as identity primary key, at timestamptz not null, action text not null, detail text,
  ip text
);
create table operator_alert (
  code text primary key, detail text not null, first_at timestamptz not null, last_at timestamptz not null,
  times int not null, cleared_at timestamptz
);

-- tasks

create table image_upload (
  id uuid primary key, user_id uuid not null, created_at timestamptz not null, used_at timestamptz
);
create index image_upload_age on image_upload (coalesce(used_at, created_at));
-- Unlogged because progress is not needed after a crash.
create unlogged table render_progress (task_id uuid primary key, percent int not null);

-- subscriptions

create table payment_notice (
  id text primary key, type text not null, object_id text not null, subject jsonb not null,
  received_at timestamptz not null, read_at timestamptz, outcome text, unique (type, object_id)
);
create index payment_notice_waiting on payment_notice (received_at) where outcome is null;

-- providers

create table mailbox (
  id uuid primary key, user_id uuid, recipient text not null, subject text not null, text text not null,
  html text not null, sent_at timestamptz not null
);
create index mailbox_recipient on mailbox (recipient, sent_at desc);
create index mailbox_owner on mailbox (user_id);
create table sandbox_agreement (
  id text primary key, request_id text not null unique, user_id uuid not null, tier text not null,
  price_cents int not null, status text not null, status_at timestamptz not null, starts_at timestamptz,
  next_billing_at timestamptz, failed_at timestamptz, return_url text not null, cancel_url text not null,
  language text not null
);
create table sandbox_sale (
  id text primary key, agreement_id text not null references sandbox_agreement (id), amount_cents int not null,
  refunded_cents int not null default 0, sold_at timestamptz not null
);
create table sandbox_webhook (
  id text primary key, body text not null, made_at timestamptz not null, delivered_at timestamptz
);
-- Rate limits and circuit breakers of providers, one row each, shared by all processes.
create table call_window (name text primary key, calls timestamptz[] not null default '{}');
create table circuit (
  name text primary key, failures int not null default 0, slowdowns int not null default 0, blocked_until timestamptz
);
create table media_folder (one boolean primary key default true check (one), mark uuid not null);

-- kernel

create table socket_token (hash text primary key, user_id uuid not null, expires_at timestamptz not null);
create table idempotency_key (
  user_id uuid not null, key text not null, body_hash text not null, subject_id uuid not null, state text not null,
  updated_at timestamptz not null, primary key (user_id, key)
);
create table moved_clock (id boolean primary key check (id), offset_ms bigint not null);

-- projections

create table projection_checkpoint (
  name text primary key, version int not null, position text, updated_at timestamptz not null default now(),
  live_at timestamptz
);

-- projections: tasks

create table video_task (
  id uuid primary key,
  user_id uuid not null,
  task_type text not null,
  status text not null,
  model text not null,
  duration int not null,
  resolution text not null,
  encrypted_prompt text not null,
  camera_movements jsonb not null,
  prompt_optimizer boolean not null,
  first_frame uuid,
  credits int not null,
  credits_consumed int not null,
  priority int not null,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  error_code text,
  video_size bigint,
  video_duration_ms int
);
create index video_task_owner on video_task (user_id, created_at desc, id desc);
create index video_task_waiting on video_task (priority, created_at) where status in ('Preparing', 'Queueing');
create index video_task_open on video_task (status, created_at) where status not in ('Success', 'Fail');
create index video_task_finished on video_task (finished_at desc) where status = 'Success';
create index video_task_first_frame on video_task (first_frame) where first_frame is not null;
create table open_task (id uuid primary key, user_id uuid not null, priority int not null);
create table late_render (id uuid primary key, user_id uuid not null);
create table task_outcome (
  id uuid primary key, resolution text not null, duration int not null, ended_at timestamptz, error_code text
);
create index task_outcome_ended on task_outcome (ended_at);

-- projections: credits

create table credit_balance (id uuid primary key, lots jsonb not null, holds jsonb not null, debt int not null default 0);
create table open_hold (id uuid primary key, user_id uuid not null, held_at timestamptz not null);
create table credit_entry (
  id uuid primary key, user_id uuid not null, revision int not null, kind text not null, amount int not null,
  reason text not null, task_id uuid, lot_id text, created_at timestamptz not null
);
create index credit_entry_account on credit_entry (user_id, revision);
create table credit_flow (id uuid primary key, kind text not null, amount int not null, at timestamptz not null);
create index credit_flow_at on credit_flow (kind, at) include (amount);
create table chain_head (
  id uuid primary key, stream text not null, revision int not null, event_id uuid not null, hash text not null
);

-- projections: subscriptions

create table current_subscription (
  id uuid primary key, agreement_id text, tier text, state text not null, trial boolean not null,
  cancelled boolean not null, price_cents int, currency text, period_start timestamptz, period_end timestamptz,
  failed_at timestamptz, grace_until timestamptz, pending text, scheduled text, scheduled_tier text,
  unclosed jsonb not null
);
create table invoice (
  id uuid primary key, user_id uuid not null, sale_id text not null, agreement_id text not null, tier text not null,
  amount_cents int not null, refunded_cents int not null, currency text not null, credits int not null,
  period_start timestamptz not null, period_end timestamptz not null
);
create index invoice_buyer on invoice (user_id, period_start desc);
create index invoice_sale on invoice (sale_id);
create index invoice_sold on invoice (period_start);
