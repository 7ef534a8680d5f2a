import type { EntityManager } from '@mikro-orm/postgresql'
import type pg from 'pg'
import { query } from '../../kernel/postgres/query.ts'

/** An operator's action about the public page of a film. `at`: when it was asked for. */
export type PageAction = Readonly<{ actionId: string; userId: string; subject: string; at: string; reason: string }>

/** Returns why operators removed the public page of a film; undefined if they did not. */
export async function removalOf(pool: Pick<pg.Pool, 'query'>, taskId: string): Promise<string | undefined> {
  const sql = 'select reason from share_removal where task_id = $1 and removed'
  return (await pool.query<{ reason: string }>(sql, [taskId])).rows[0]?.reason
}

/**
 * Removes the public page of a film, or allows it again, in the caller's transaction, unless a later action has. Returns
 * whether it did. See docs/decisions/0092-reports-and-removed-pages.md.
 */
export async function setPageRemoved(
  tx: EntityManager,
  { actionId, userId, subject: taskId, at, reason }: PageAction,
  removed: boolean,
): Promise<boolean> {
  const sql = removed
    ? `insert into share_removal (task_id, user_id, action_id, at, reason, removed) values ($1, $2, $3, $4, $5, true)
       on conflict (task_id) do update
         set action_id = excluded.action_id, at = excluded.at, reason = excluded.reason, removed = true
         where share_removal.at <= excluded.at and not share_removal.removed returning task_id`
    : `update share_removal set action_id = $2, at = $3, reason = $4, removed = false
       where task_id = $1 and at <= $5 and removed returning task_id`
  const values = removed ? [taskId, userId, actionId, at, reason] : [taskId, actionId, at, reason, at]
  return (await query(tx, sql, values)).length > 0
}

/** Returns which of some films have a public page, and which lost it to an operator, by id. */
export async function pagesOf(
  pool: Pick<pg.Pool, 'query'>,
  taskIds: readonly string[],
): Promise<ReadonlyMap<string, 'shared' | 'removed'>> {
  const { rows } = await pool.query<{ id: string; page: 'shared' | 'removed' }>(
    `select task_id as id, 'shared' as page from share where task_id = any ($1)
     union all select task_id, 'removed' from share_removal where removed and task_id = any ($1)`,
    [taskIds],
  )
  return new Map(rows.map(({ id, page }) => [id, page]))
}
