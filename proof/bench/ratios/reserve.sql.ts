/** The least that a program without an event log would do: a balance, a reservation and a job, in one function each. */
export const RESERVE_SQL = `
create table balance (user_id uuid primary key, available bigint not null, held bigint not null);
create table reservation (task_id uuid primary key, user_id uuid not null, amount bigint not null, state text not null);
create table job (task_id uuid primary key, user_id uuid not null, body jsonb not null, created timestamptz not null);

create function reserve(task uuid, owner uuid, cost bigint, body jsonb) returns void language plpgsql as $$
begin
  update balance set available = available - cost, held = held + cost where user_id = owner and available >= cost;
  if not found then raise 'insufficient credits'; end if;
  insert into reservation values (task, owner, cost, 'held');
  if body is not null then insert into job values (task, owner, body, now()); end if;
end $$;

create function settle(task uuid) returns void language plpgsql as $$
declare held_by reservation;
begin
  update reservation set state = 'captured' where task_id = task and state = 'held' returning * into held_by;
  update balance set held = held - held_by.amount where user_id = held_by.user_id;
end $$;`
