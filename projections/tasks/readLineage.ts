import { type Database, query } from '#backend/kernel/postgres/query.ts'
import type { Lineage } from '#backend/tasks/contract.ts'

/** Films of one tree that are read at most, and steps up to its root. */
const LIMITS = { films: 100, steps: 50 }

/**
 * Returns the tree of films that a user's film belongs to, from its oldest film that is still known: each film with its parent.
 * A film that was made from nothing is a tree of its own.
 */
export function readLineage(database: Database, userId: string, taskId: string) {
  const sql = `with recursive up as (
      select $2::uuid as id, 0 as step
      union all
      select o.parent_id, step + 1 from up join film_origin o on o.id = up.id and o.user_id = $1 where step < $3),
    root as (select id from up order by step desc limit 1),
    tree as (
      select id, null::uuid as parent_id, null::text as made_as, 0 as depth from root
      union all
      select o.id, o.parent_id, o.made_as, depth + 1 from tree join film_origin o on o.parent_id = tree.id
        where o.user_id = $1 and depth < $3)
    select id, parent_id, made_as from tree order by depth, id limit $4`
  type Row = { id: string; parent_id: string | null; made_as: Lineage | null }
  return query<Row>(database, sql, [userId, taskId, LIMITS.steps, LIMITS.films])
}
