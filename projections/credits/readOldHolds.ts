import type { Database } from '../engine/readModel.ts'

/** Returns up to 500 holds made before an instant, oldest first, without those of the given tasks. */
export async function readOldHolds(
  database: Database,
  { before, except }: { before: Date; except: readonly string[] },
): Promise<{ taskId: string; userId: string }[]> {
  return database.em.fork().execute(
    `select id as "taskId", user_id as "userId" from open_hold where held_at < ?
       and id not in (select value::uuid from jsonb_array_elements_text(?::jsonb)) order by held_at limit 500`,
    [before, JSON.stringify(except)],
  )
}
