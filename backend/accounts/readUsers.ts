import type pg from 'pg'
import type { DayRange } from '../kernel/days.ts'
import { isUuid } from '../kernel/eventsourcing/uuid7.ts'
import { onlyRow } from '../kernel/postgres/onlyRow.ts'

type Queries = Pick<pg.ClientBase, 'query'>

export type ListedUser = Readonly<{ id: string; email: string; created_at: string; email_verified: boolean }>

type Counts = Readonly<{ total: number; verified: number; today: number; yesterday: number }>
type Registrations = Counts & { readonly daily: { date: string; count: number }[] }

/** Returns the id of the account with this id or email address, ignoring case; undefined if there is none. */
export async function findUserId(pool: Queries, idOrEmail: string): Promise<string | undefined> {
  const column = isUuid(idOrEmail) ? 'id' : 'email'
  const sql = `select id from user_account where ${column} = $1`
  const { rows } = await pool.query<{ id: string }>(sql, [idOrEmail.toLowerCase()])
  return rows[0]?.id
}

/** Returns the addresses of accounts by their ids. Those of erased accounts are missing. */
export async function readEmails(pool: Queries, ids: readonly string[]): Promise<Map<string, string>> {
  const sql = 'select id, email from user_account where id = any($1)'
  const { rows } = await pool.query<{ id: string; email: string }>(sql, [ids])
  return new Map(rows.map(({ id, email }) => [id, email]))
}

/** Returns the ids of verified accounts that have received free credits: the grant is in the log before the verification. */
export async function readWelcomedUsers(client: Queries): Promise<string[]> {
  const sql = `select a.id from free_grant g join user_account a on a.id = g.user_id where a.email_verified_at is not null`
  return (await client.query<{ id: string }>(sql)).rows.map(({ id }) => id)
}

/**
 * Returns up to `limit` ids after `after` of verified accounts that get monthly credits. An account whose mailbox had
 * received its free credits before, in an erased account, gets them from the month after its registration.
 */
export async function readAllowed(pool: Queries, month: string, after: string, limit: number): Promise<string[]> {
  const sql = `select id from user_account a where email_verified_at is not null and id > $2
    and (created_at < $1 or exists (select from free_grant g where g.user_id = a.id)) order by id limit $3`
  return (await pool.query<{ id: string }>(sql, [month, after, limit])).rows.map(({ id }) => id)
}

/** Returns one page of users, newest first, and the total number of users. Pages start at 1. */
export async function listUsers(pool: Queries, page: number, perPage: number) {
  const found = await pool.query<{ total: number; users: ListedUser[] }>({
    name: 'board-users',
    text: `select (select coalesce(sum(registered), 0)::int from registration_day) as total,
      (select coalesce(json_agg(u), '[]') from (
         select id, email, created_at, email_verified_at is not null as email_verified
         from user_account order by created_at desc, id desc limit $1 offset $2) u) as users`,
    values: [perPage, (page - 1) * perPage],
  })
  return onlyRow(found)
}

/** Returns up to ten accounts whose id is `text`, or whose address or name begins with it, ignoring case. */
export async function searchUsers(pool: Queries, text: string) {
  const start = `${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  const { rows } = await pool.query<{ id: string; email: string; name: string }>(
    `select id, email, full_name as name from user_account
     where id = $1::uuid or email like $2 or lower(full_name) like $2 order by email limit 10`,
    [isUuid(text) ? text : null, start],
  )
  return rows
}

/** Columns and query for the CSV export of all users, newest first. The query takes no parameters. */
export const USERS_FILE = {
  columns: ['id', 'email', 'created_at', 'email_verified'],
  sql: `select id, email, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    email_verified_at is not null from user_account order by created_at desc, id desc`,
} as const

/**
 * Returns the number of existing accounts, and the number of those registered on each day from `from` to `to`. Days are
 * ISO dates in the operator's time zone.
 */
export async function readRegistrations(pool: Queries, today: string, { from, to }: DayRange) {
  const found = await pool.query<Registrations>({
    name: 'board-registrations',
    text: `select coalesce(sum(registered), 0)::int as total, coalesce(sum(verified), 0)::int as verified,
        coalesce(sum(registered) filter (where day = $1::date), 0)::int as today,
        coalesce(sum(registered) filter (where day = $1::date - 1), 0)::int as yesterday,
        (select json_agg(d) from (
           select s.day::date::text as date, coalesce(registered, 0) as count
           from generate_series($2::date, $3::date, '1 day') s (day)
           left join registration_day r on r.day = s.day::date order by s.day) d) as daily
      from registration_day`,
    values: [today, from, to],
  })
  return onlyRow(found)
}

/**
 * Recounts daily registrations in another time zone, within the caller's transaction, which blocks new registrations
 * until it ends. A trigger on `user_account` keeps the counts up to date between recounts.
 */
export async function recountRegistrations(tx: Queries, timeZone: string): Promise<void> {
  await tx.query('lock table registration_day in share row exclusive mode')
  await tx.query('delete from registration_day')
  await tx.query(
    `insert into registration_day select (created_at at time zone $1)::date, count(*), count(email_verified_at)
     from user_account group by 1`,
    [timeZone],
  )
}
