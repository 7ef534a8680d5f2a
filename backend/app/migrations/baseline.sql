-- accounts

create table user_account (
  id uuid primary key,
  email text not null unique,
  -- Normalised email address: allows one account per mailbox.
  identity text not null unique,
  full_name text not null,
  language text not null,
  password_hash text not null,
  has_password boolean not null default true,
  password_changed_at timestamptz,
  email_verified_at timestamptz,
  mail_when_done boolean not null default false,
  created_at timestamptz not null
);
create index user_account_newest on user_account (created_at desc, id desc);
create table user_key (user_id uuid primary key, wrapped_key text not null);
-- Fingerprint of the ENCRYPTION_KEY that wraps the users' keys.
create table master_key (one boolean primary key default true check (one), fingerprint text not null);
-- Keys derived from an earlier ENCRYPTION_KEY that are still needed, sealed with the current one.
create table key_ring (purpose text not null, sealed text not null, rotated_at timestamptz not null);
create table session (
  id uuid primary key, user_id uuid not null references user_account (id) on delete cascade, generation int not null,
  created_at timestamptz not null, rotated_at timestamptz not null, last_used_at timestamptz not null,
  ended_at timestamptz, stepped_up_at timestamptz, user_agent text not null
);
create index session_owner on session (user_id);
-- `registration` is what a verification link activates. Null: the registration of the account.
create table mail_token (
  hash text primary key, user_id uuid not null references user_account (id) on delete cascade, purpose text not null,
  expires_at timestamptz not null, registration jsonb
);
create index mail_token_owner on mail_token (user_id);
-- Sign-in links with sealed drafts, and the pictures of visitors. `network` is a keyed hash.
create table start_link (
  id uuid primary key, hash text not null unique, browser text not null, email text not null, language text not null,
  user_id uuid not null references user_account (id) on delete cascade, sealed text,
  expires_at timestamptz not null, confirmed_at timestamptz
);
create index start_link_owner on start_link (user_id);
create index start_link_expiry on start_link (expires_at);
create table start_image (
  id uuid primary key, hash text not null unique, link_id uuid references start_link (id) on delete cascade,
  sealed text not null, bytes int not null, expires_at timestamptz not null, network text
);
create index start_image_link on start_image (link_id);
create index start_image_expiry on start_image (expires_at);
-- The owner of a factor is a user, or the operator with the nil UUID. Secrets are sealed with the owner's key. An
-- authenticator without `confirmed_at` does not count yet.
create table authenticator (
  owner uuid primary key, sealed text not null, created_at timestamptz not null, confirmed_at timestamptz,
  last_step bigint not null default 0
);
create table recovery_code (
  hash text primary key, owner uuid not null, created_at timestamptz not null default now()
);
create index recovery_code_owner on recovery_code (owner);
create table passkey (
  id text primary key, owner uuid not null, name text not null, public_key text not null, counter bigint not null,
  transports text[] not null, created_at timestamptz not null, last_used_at timestamptz
);
create index passkey_owner on passkey (owner);
-- Answered challenges, until they expire.
create table spent_challenge (hash text primary key, expires_at timestamptz not null);
-- Encrypted emails. A row is deleted when its email is sent or the account is deleted.
create table outgoing_mail (
  id uuid primary key, user_id uuid not null references user_account (id) on delete cascade, sealed text not null,
  expires_at timestamptz not null
);
create index outgoing_mail_owner on outgoing_mail (user_id);
create table push_subscription (
  session_id uuid primary key references session (id) on delete cascade,
  user_id uuid not null references user_account (id) on delete cascade,
  endpoint text not null unique, p256dh text not null, auth text not null
);
create index push_subscription_owner on push_subscription (user_id);
create table video_notice (
  task_id uuid primary key, user_id uuid not null references user_account (id) on delete cascade,
  succeeded boolean not null, finished_at timestamptz not null, mail boolean not null
);
create index video_notice_owner on video_notice (user_id);
create table sent_reminder (user_id uuid not null, key text not null, primary key (user_id, key));
-- Keys are hashes; `used_up_to` is in epoch milliseconds.
create table throttle (key text primary key, used_up_to bigint not null);
create index throttle_age on throttle (used_up_to);
-- Kept after the account is deleted, with only a keyed hash of the email address.
create table free_grant (address_hash text primary key, user_id uuid);
create index free_grant_owner on free_grant (user_id);
create table erasure (user_id uuid primary key, requested_at timestamptz not null, done_at timestamptz);
create index erasure_open on erasure (requested_at) where done_at is null;
-- Deleted after 90 days, or with the account. A throttle or a failure without an account has no user.
create table security_record (
  id bigint generated always as identity primary key, at timestamptz not null,
  user_id uuid references user_account (id) on delete cascade, event text not null,
  browser text, system text, network text
);
create index security_record_owner on security_record (user_id, id desc);
create index security_record_age on security_record (at);
create index security_record_trouble on security_record (id desc)
  where event in ('sign_in_failed', 'second_factor_failed', 'throttled');
create function refuse_security_record_change() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' and (old.at < now() - interval '90 days' or (old.user_id is not null
      and not exists (select from user_account where id = old.user_id))) then return old; end if;
    raise exception 'security records are append-only';
  end $$;
create trigger security_record_append_only before update or delete on security_record
  for each row execute function refuse_security_record_change();

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
  id boolean primary key default true check (id), time_zone text not null, addresses_truncated_to timestamptz not null
);
-- The first start sets the time zone.
insert into board_state (time_zone, addresses_truncated_to) values ('', '2000-01-01');
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

create table operator_session (
  hash text primary key, created_at timestamptz not null, expires_at timestamptz not null, stepped_up_at timestamptz
);
create table operator_action (
  id bigint generated always as identity primary key, at timestamptz not null, action text not null, detail text,
  ip text
);
create table operator_alert (
  code text primary key, detail text not null, first_at timestamptz not null, last_at timestamptz not null,
  times int not null, cleared_at timestamptz, notified_channels text[] not null default '{}'
);

-- app, audit, backups

-- The id that the installation shares with its log.
create table installation (one boolean primary key default true check (one), id uuid not null);
-- The certificate for content credentials, unless the operator configures one.
create table content_credential (
  one boolean primary key default true check (one),
  certificates text not null, sealed_key text not null, made_at timestamptz not null default now()
);
-- When the newest signed head last included the whole ledger. A new installation has nothing that a head lacks.
create table ledger_head (one boolean primary key default true check (one), current_at timestamptz not null);
insert into ledger_head (current_at) values (clock_timestamp());
-- The public half of the recovery phrase, and when the installation was last copied and proven restorable.
create table backup_state (
  one boolean primary key default true check (one),
  since timestamptz not null default now(),
  phrase_recipient text,
  phrase_at timestamptz,
  folders text[] not null default '{}',
  copied_at timestamptz,
  copied_bytes bigint,
  copied_files int,
  proven_at timestamptz,
  proven_copy timestamptz,
  failure text,
  failed_at timestamptz
);
insert into backup_state default values;

-- tasks

create table image_upload (
  id uuid primary key, user_id uuid not null, bytes int not null default 0, created_at timestamptz not null,
  used_at timestamptz
);
create index image_upload_user on image_upload (user_id);
create index image_upload_age on image_upload (coalesce(used_at, created_at));
-- Unlogged because progress is not needed after a crash. `frame` is the picture at `frame_at` percent.
create unlogged table render_progress (task_id uuid primary key, percent int not null, frame bytea, frame_at int);
-- Tasks whose files are to be removed.
create table media_removal (task_id uuid primary key, requested_at timestamptz not null default now());
create index media_removal_age on media_removal (requested_at);
create table share (
  id text primary key, task_id uuid not null unique,
  user_id uuid not null references user_account (id) on delete cascade,
  show_prompt boolean not null, show_name boolean not null, width int not null, height int not null,
  views bigint not null default 0, created_at timestamptz not null
);
create index share_owner on share (user_id);
create table video_mark (
  task_id uuid primary key, user_id uuid not null references user_account (id) on delete cascade,
  favourite boolean not null default false, folder text
);
create index video_mark_owner on video_mark (user_id);
-- Requests for videos without the visible label. They outlive the account, because the law wants them kept six months.
create table unlabelled_request (
  id bigint generated always as identity primary key, at timestamptz not null,
  user_id uuid not null, email text not null, task_id uuid not null
);
create index unlabelled_request_task on unlabelled_request (task_id, user_id);
create index unlabelled_request_age on unlabelled_request (at);

-- subscriptions

create table payment_webhook (
  id text primary key, type text not null, object_id text not null, subject jsonb not null,
  received_at timestamptz not null, processed_at timestamptz, outcome text, unique (type, object_id)
);
create index payment_webhook_waiting on payment_webhook (received_at) where outcome is null;
-- The body of each transmission of a webhook, so that its signature cannot be used with another one.
create table payment_transmission (
  id text primary key, body_hash text not null, received_at timestamptz not null default now()
);
create index payment_transmission_age on payment_transmission (received_at);

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
-- Calls are counted in slices: `ends[n]` is the end of the slice in which `counts[n]` calls were made.
create table call_window (
  name text primary key, ends timestamptz[] not null default '{}', counts int[] not null default '{}'
);
create table circuit (
  name text primary key, failures int not null default 0, slowdowns int not null default 0, blocked_until timestamptz,
  failing_since timestamptz
);
-- Recent jobs of the `/v1/videos` engine that belong to a task, so that two processes never take the same one.
-- `task_id` is the task that has adopted the job: it finds it again if the answer to the adoption was lost.
create table claimed_job (
  job_id text primary key, adopted boolean not null default false, task_id text, at timestamptz not null default now()
);
create table media_folder (one boolean primary key default true check (one), mark uuid not null);

-- kernel

create table socket_token (
  hash text primary key, user_id uuid not null, session_id uuid, expires_at timestamptz not null
);
create table idempotency_key (
  user_id uuid not null, key text not null, body_hash text not null, subject_id uuid not null, state text not null,
  updated_at timestamptz not null, primary key (user_id, key)
);
create table moved_clock (id boolean primary key check (id), offset_ms bigint not null);
-- Fencing tokens.
create table lease_token (name text primary key, token bigint not null);
-- `state` is text, not jsonb, because the MAC covers its exact bytes.
create table stream_snapshot (
  stream text collate "C" primary key, version int not null, revision bigint not null, hash text not null,
  state text not null, mac bytea not null, saved_at timestamptz not null default now()
);

-- projections

create table projection_checkpoint (
  name text primary key, version int not null, position text, updated_at timestamptz not null default now(),
  live_at timestamptz, last_event jsonb
);
-- Events that a read model could not project.
create table parked_event (
  projection text not null,
  event_id text not null,
  position text collate "C" not null,
  row_key text not null,
  stream text not null,
  revision int not null,
  type text not null,
  error text,
  checkpoint text,
  parked_at timestamptz not null default now(),
  primary key (projection, event_id)
);
create index parked_event_row on parked_event (projection, row_key, position);

-- projections: tasks

create table video_task (
  id uuid primary key,
  user_id uuid not null,
  task_type text not null,
  status text not null,
  model text not null,
  duration int not null,
  resolution text not null,
  aspect_ratio text,
  seed int,
  sound boolean,
  encrypted_prompt text not null,
  encrypted_negative_prompt text,
  camera_movements jsonb not null,
  prompt_optimizer boolean not null,
  first_frame uuid,
  last_frame uuid,
  reference_images jsonb,
  routes jsonb not null,
  engine text,
  engine_model text,
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
create index video_task_last_frame on video_task (last_frame) where last_frame is not null;
create index video_task_references on video_task using gin (reference_images jsonb_path_ops)
  where reference_images is not null;
-- `unstarted_since`: since when the task has waited for its workflow to start.
create table open_task (
  id uuid primary key, user_id uuid not null, priority int not null, unstarted_since timestamptz
);
create table late_render (id uuid primary key, user_id uuid not null);
-- `cents`: what the clip cost the operator, US cents.
create table task_outcome (
  id uuid primary key, resolution text not null, duration int not null, ended_at timestamptz, error_code text,
  cents double precision
);
create index task_outcome_ended on task_outcome (ended_at);

-- projections: credits

-- With the number and sum of the user's credit entries, and the revision of the latest.
create table credit_balance (
  id uuid primary key, lots jsonb not null, holds jsonb not null, debt int not null default 0,
  entry_count int not null, entry_sum int not null, last_entry int not null
);
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
  cancelled boolean not null, final boolean not null default false, price_cents int, currency text,
  period_start timestamptz, period_end timestamptz, failed_at timestamptz, grace_until timestamptz, pending text,
  scheduled text, scheduled_tier text, unclosed jsonb not null
);
create table invoice (
  id uuid primary key, user_id uuid not null, sale_id text not null, agreement_id text not null, tier text not null,
  amount_cents int not null, refunded_cents int not null, currency text not null, credits int not null,
  period_start timestamptz not null, period_end timestamptz not null
);
create index invoice_buyer on invoice (user_id, period_start desc);
create index invoice_sale on invoice (sale_id);
create index invoice_sold on invoice (period_start);
