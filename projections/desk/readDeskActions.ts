import type { Database } from '#backend/kernel/postgres/query.ts'
import { query, queryOne } from '#backend/kernel/postgres/query.ts'
import { type Page, queryPage } from '../engine/queryPage.ts'
import { readSnapshot } from '../engine/readModel.ts'
import { type DeskActionRow, deskActions } from './deskAction.ts'

interface Filter {
  readonly userId: string | null
  readonly status: 'waiting' | null
}

/** Returns one page of actions, newest first, and their total number; only those about a user or with a status, if given. */
export const readDeskActions = (database: Database, { userId, status }: Filter, page: Page) =>
  queryPage<DeskActionRow>(
    database,
    {
      columns: '*',
      from: 'desk_action where ($1::uuid is null or user_id = $1) and ($2::text is null or status = $2)',
      orderBy: 'asked_at desc, id desc',
    },
    [userId, status],
    page,
  )

/** Returns an action; undefined if there is none. */
export async function readDeskAction(database: Database, id: string) {
  const sql = 'select id, kind, user_id from desk_action where id = $1'
  return (await query<Pick<DeskActionRow, 'id' | 'kind' | 'user_id'>>(database, sql, [id]))[0]
}

/** Returns the actions that are to be carried out. */
export const readOpenActions = (database: Database) =>
  readSnapshot<Readonly<{ actionId: string; kind: string; userId: string }>>(
    database,
    deskActions,
    `json_build_object('actionId', id, 'kind', kind, 'userId', user_id)`,
    `status in ('asked', 'approved', 'scheduled')`,
  )

/** Returns the ids of actions whose time has come. */
export const readDueActions = async (database: Database, now: Date): Promise<string[]> =>
  (
    await query<{ id: string }>(database, `select id from desk_action where status = 'scheduled' and due_at <= $1`, [
      now,
    ])
  ).map(({ id }) => id)

/** Returns the ids of a user's actions that wait for their time. */
export const readScheduled = async (database: Database, userId: string): Promise<string[]> =>
  (
    await query<{ id: string }>(database, `select id from desk_action where user_id = $1 and status = 'scheduled'`, [
      userId,
    ])
  ).map(({ id }) => id)

/** Counts the actions that wait for another operator. */
export const countWaitingActions = async (database: Database): Promise<number> =>
  (
    await queryOne<{ count: number }>(
      database,
      `select count(*)::int as count from desk_action where status = 'waiting'`,
    )
  ).count
