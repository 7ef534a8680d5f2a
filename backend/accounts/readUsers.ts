import type pg from 'pg'
import { isUuid } from '../kernel/eventsourcing/uuid7.ts'

type Queries = Pick<pg.ClientBase, 'query'>

export type ListedUser = Readonly<{ id: string; email: string; created_at: string; email_verified: boolean }>

/** Returns the id of the account with this id or email address; addresses match in any case. */
export async function findUserId(pool: Queries, idOrEmail: string): Promise<string | undefined> {
  const column = isUuid(idOrEmail) ? 'id' : 'email'
  const sql = `select id from user_account where ${column} = $1`
  const { rows } = await pool.query<{ id: string }>(sql, [idOrEmail.toLowerCase()])
  return rows[0]?.id
}

/** Returns one page of users, newest first, and the number of users. Pages start at 1. */
export async function listUsers(pool: Queries, page: number, perPage: number) {
  const { rows } = await pool.query<{ total: number; users: ListedUser[] }>({
    name: 'board-users',
    text: `select (select coalesce(sum(registered), 0)::int from registration_day) as total,
      (select coalesce(json_agg(u), '[]') from (
         select id, email, created_at, email_verified_at is not null as email_verified
         from user_account order by created_at desc, id desc limit $1 offset $2) u) as users`,
    values: [perPage, (page - 1) * perPage],
  })
  return rows[0]!
}

/** Columns and query of the CSV file of all users, newest first. The query takes no parameters. */
export const USERS_FILE = {
  columns: ['id', 'email', 'created_at', 'email_verified'],
  sql: `select id, email, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    email_verified_at is not null from user_account order by created_at desc, id desc`,
} as const
