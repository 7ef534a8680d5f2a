import type { Database } from '../engine/readModel.ts'

/** Those of the pictures that a task, whatever became of it, was made from. */
export async function readFirstFramesInUse(database: Database, imageIds: readonly string[]): Promise<Set<string>> {
  const rows = await database.em.fork().execute<{ id: string }[]>(
    `select distinct first_frame as id from video_task
     where first_frame in (select value::uuid from jsonb_array_elements_text(?::jsonb))`,
    [JSON.stringify(imageIds)],
  )
  return new Set(rows.map(({ id }) => id))
}
