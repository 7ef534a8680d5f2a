import type { EntityManager } from '@mikro-orm/postgresql'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { notify } from '../kernel/postgres/notify.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import { query } from '../kernel/postgres/query.ts'

/** Change notification for suspensions. Its ids are user ids. */
export const SUSPENSIONS = 'suspensions'

/** An operator's action about an account. `at`: when it was asked for. */
export type AccountAction = Readonly<{ actionId: string; userId: string; at: string }>

/** Returns whether an account is suspended: it keeps its videos and its plan, but orders nothing, and its API keys are refused. */
export async function isSuspended(database: Database, userId: string): Promise<boolean> {
  const sql = 'select from suspension where user_id = $1 and suspended'
  return (await query<object>(database, sql, [userId])).length > 0
}

/** The rejection of what a suspended account may not do. */
export const accountSuspended = (): Rejection =>
  new Rejection('account_suspended', 'This account is suspended. You keep your videos and your plan.')

/**
 * Suspends or restores an account in the caller's transaction, unless a later action has changed it. Returns whether it did.
 * The account is locked first, as by a change of its password, so that a sign-in at the same time is before or after it.
 */
export async function setSuspended(
  tx: EntityManager,
  { actionId, userId, at }: AccountAction,
  suspended: boolean,
): Promise<boolean> {
  const sql = suspended
    ? `insert into suspension (user_id, action_id, at, suspended) values ($1, $2, $3, true)
       on conflict (user_id) do update set action_id = excluded.action_id, at = excluded.at, suspended = true
       where suspension.at <= excluded.at and not suspension.suspended returning user_id`
    : `update suspension set action_id = $2, at = $3, suspended = false
       where user_id = $1 and at <= $4 and suspended returning user_id`
  const rows = await query(tx, sql, suspended ? [userId, actionId, at] : [userId, actionId, at, at])
  await notify(tx, { name: SUSPENSIONS, ids: [userId] })
  return rows.length > 0
}
