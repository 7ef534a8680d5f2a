import { type Database, query } from '#backend/kernel/postgres/query.ts'

/** Films that are read at most, and steps in each direction. */
const LIMITS = { films: 100, steps: 50 }

/**
 * Returns the ids of the films that a user's film descends from and of all that were made from those, nearest generations
 * first and the newest of each first. They include the film itself and films that were deleted. See
 * docs/decisions/0086-one-film-everywhere.md.
 */
export async function readLineage(database: Database, userId: string, taskId: string): Promise<string[]> {
  const sql = `with recursive up as (
      select $2::uuid as id, 0 as step
      union
      select (source->>'id')::uuid, step + 1 from up join video_task t on t.id = up.id and t.user_id = $1
        cross join jsonb_array_elements(t.made_from) as source where step < $3),
    family as (
      select distinct id, 0 as depth from up
      union
      select t.id, depth + 1 from family join video_task t
        on t.user_id = $1 and t.made_from @> jsonb_build_array(jsonb_build_object('id', family.id)) where depth < $3)
    select id from family group by id order by min(depth), id desc limit $4`
  const films = await query<{ id: string }>(database, sql, [userId, taskId, LIMITS.steps, LIMITS.films])
  return films.map(({ id }) => id)
}
