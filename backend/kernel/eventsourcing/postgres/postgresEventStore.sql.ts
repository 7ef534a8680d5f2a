import type { GlobalPosition, Metadata, Stored } from '../eventStore.port.ts'
import type { Event } from '../pure/decider.ts'

/**
 * Advisory lock that an append holds until it commits. Positions therefore follow commit order without gaps, so readers
 * can safely use a position as a cursor. See docs/decisions/0001-event-log-in-postgres.md.
 */
const appendLock = 7_314_201

/** Notification channel for commits. The payload is the position of the last event; earlier releases sent none. */
export const eventChannel = 'event'

const table = `
create table if not exists event (
  position bigint primary key,
  stream text collate "C" not null,
  revision bigint not null,
  id uuid not null,
  type text not null,
  data jsonb not null,
  meta jsonb not null,
  created timestamptz not null,
  constraint event_stream_revision unique (stream, revision),
  constraint event_id unique (id)
);`

/** A row of the table `event`; `pg` returns bigint columns as text. */
export interface EventRow {
  readonly position: string
  readonly stream: string
  readonly revision: string
  readonly id: string
  readonly type: string
  readonly data: object
  readonly meta: Metadata
  readonly created: Date | string
}

/** Pads a position to twenty digits, so that positions compare as strings. */
export function toGlobalPosition(position: string | number): GlobalPosition {
  return String(position).padStart(20, '0') as GlobalPosition
}

/** Returns the event of a row. */
export function toStored<E extends Event>({
  position,
  revision,
  created,
  stream,
  id,
  type,
  data,
  meta,
}: EventRow): Stored<E> {
  const stored: Stored = {
    stream,
    revision: Number(revision),
    id,
    type,
    data,
    meta,
    position: toGlobalPosition(position),
    created: created instanceof Date ? created : new Date(created),
  }
  return stored as Stored<E>
}

/**
 * Appends to distinct streams. `appends` is [{ stream, expected, together, events: [{ id, type, data, meta }] }], where
 * `expected` is a revision, -1 for no stream, or null for any. Appends with the same number `together` are stored
 * together or not at all. Returns one row per append, in order.
 *
 * The planner might choose sequential scans while the table is empty; the planner settings force index scans.
 */
const appendSet = `
create or replace function event_append_set(appends jsonb)
returns table (stored boolean, revision bigint, "position" bigint)
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  head bigint;
begin
  perform pg_advisory_xact_lock(${appendLock});
  -- A separate statement takes its snapshot after the lock is acquired, so it sees every earlier append.
  select coalesce(max(e.position), 0) into head from event e;

  return query
  with requested as materialized (
    select a.ordinal,
           a.body->>'stream' as stream,
           (a.body->>'expected')::bigint as expected,
           a.body->'events' as events,
           coalesce((a.body->>'together')::bigint, -a.ordinal) as together,
           jsonb_array_length(a.body->'events') as size,
           coalesce((select e.revision from event e where e.stream = a.body->>'stream'
                     order by e.revision desc limit 1), -1) as current
    from jsonb_array_elements(appends) with ordinality a(body, ordinal)
  ),
  -- An append is a retry if its events are already stored where it would put them. If its stream is still at the
  -- expected revision, it cannot be a retry; testing that inside the lateral join skips the lookup.
  compared as materialized (
    select requested.*, earlier.known, earlier.first_known, earlier.last_revision, earlier.last_position
    from requested cross join lateral (
      select count(*) as known,
             coalesce(bool_or(n.i = 1), false) as first_known,
             max(e.revision) as last_revision,
             max(e.position) as last_position
      from jsonb_array_elements(requested.events) with ordinality n(body, i)
      -- The offset forces a lookup by id; otherwise the planner may scan the whole stream.
      cross join lateral (select * from event where event.id = (n.body->>'id')::uuid offset 0) e
      where requested.expected is distinct from requested.current
        and e.stream = requested.stream and (requested.expected is null or e.revision = requested.expected + n.i)
    ) earlier
  ),
  judged as materialized (
    select compared.*,
           known = size as repeated,
           case when expected is null then not first_known else expected = current end as fits
    from compared
  ),
  decided as materialized (
    select judged.*, fits and bool_and(fits or repeated) over (partition by together) as fresh from judged
  ),
  placed as materialized (
    select decided.*,
           head + sum(case when fresh then size else 0 end) over (order by ordinal)::bigint - size as before
    from decided
  ),
  inserted as (
    insert into event (position, stream, revision, id, type, data, meta, created)
    select p.before + n.i, p.stream, p.current + n.i, (n.body->>'id')::uuid, n.body->>'type',
           n.body->'data', n.body->'meta', clock_timestamp()
    from placed p cross join lateral jsonb_array_elements(p.events) with ordinality n(body, i)
    where p.fresh
  )
  select p.fresh or p.repeated,
         case when p.fresh then p.current + p.size when p.repeated then p.last_revision else p.current end,
         case when p.fresh then p.before + p.size when p.repeated then p.last_position end
  from placed p order by p.ordinal;

  perform pg_notify('${eventChannel}', max(e.position)::text) from event e;
end $$;`

/**
 * Stores the events of appends that all fit: most do, and this takes half the time of `event_append_set`. `list` is
 * [{ s: stream, r: revision, e: revision of the event before, id, t: type, d: data, m: metadata }]; `e` is set for the
 * first event of an append to an existing stream. Returns the position before the first event. Stores nothing and returns
 * null if an event does not fit. Events are created when the transaction begins, so that the caller knows the time too.
 */
const appendList = `
create or replace function event_append_list(list jsonb) returns bigint
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  head bigint;
  stored bigint;
begin
  perform pg_advisory_xact_lock(${appendLock});
  select coalesce(max(e.position), 0) into head from event e;
  begin
    insert into event (position, stream, revision, id, type, data, meta, created)
    select head + n.i, n.s, n.r, n.id, n.t, n.d, n.m, now()
    from rows from (jsonb_to_recordset(list) as (s text, r bigint, e bigint, id uuid, t text, d jsonb, m jsonb))
         with ordinality n(s, r, e, id, t, d, m, i)
    -- The planner may turn an "exists" into a hash of the whole table.
    where n.e is null or (select true from event b where b.stream = n.s and b.revision = n.e);
    get diagnostics stored = row_count;
    if stored < jsonb_array_length(list) then raise unique_violation; end if;
  exception when unique_violation then
    return null;
  end;
  perform pg_notify('${eventChannel}', (head + stored)::text);
  return head;
end $$;`

/** Runs as one implicit transaction; the lock serialises concurrent installs. */
export const installEventTableSql = `select pg_advisory_xact_lock(${appendLock});${table}${appendSet}${appendList}`

export const appendListSql = {
  name: 'event_append_list',
  text: 'select event_append_list($1::jsonb) as head, now() as created',
}

export const appendSetSql = { name: 'event_append_set', text: 'select * from event_append_set($1::jsonb)' }

/**
 * Appends an event and rolls it back in one statement, so that a client that stops in between holds no lock. The lock
 * timeout is shorter than that of real appends, because the caller waits for two seconds only.
 */
export const probeSql = {
  text: `do $$ begin
    perform set_config('lock_timeout', '1500', true);
    perform event_append_set(jsonb_build_array(jsonb_build_object('stream', 'probe', 'expected', null, 'events',
      jsonb_build_array(jsonb_build_object('id', gen_random_uuid(), 'type', 'Probe', 'data', '{}'::jsonb, 'meta', '{}'::jsonb)))));
    raise sqlstate 'KN001';
  exception when sqlstate 'KN001' then null;
  end $$`,
}

/** Parameters: stream, first revision, limit. */
export const readStreamSql = {
  name: 'event_read_stream',
  text: 'select * from event where stream = $1 and revision >= $2 order by revision limit $3',
}

/** Parameters: streams, the first revision of each, limit for each. `read` is the number of the stream in the list, from 1. */
export const readStreamsSql = {
  name: 'event_read_streams',
  text: `select n.read, e.* from unnest($1::text[], $2::bigint[]) with ordinality n(stream, first, read)
         cross join lateral (select * from event where event.stream = n.stream collate "C" and event.revision >= n.first
                             order by event.revision limit $3) e
         order by n.read, e.revision`,
}

export const headSql = { name: 'event_head', text: 'select coalesce(max(position), 0) as head from event' }

/** Parameters: stream prefixes or null, number of events to look at. */
export const newestSql = {
  name: 'event_newest',
  text: `select max(position) as newest from (select position, stream from event order by position desc limit $2) e
         where $1::text[] is null or stream ^@ any ($1)`,
}

/** Parameters: exclusive start position, inclusive end position, stream prefixes or null, limit. */
export const readAllSql = {
  name: 'event_read_all',
  text: `select * from event where position > $1 and position <= $2 and ($3::text[] is null or stream ^@ any ($3))
         order by position limit $4`,
}
