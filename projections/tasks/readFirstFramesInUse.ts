import type { Database } from '../engine/readModel.ts'

/** Returns those of the images that are the first frame of a task in any state. */
export async function readFirstFramesInUse(database: Database, imageIds: readonly string[]): Promise<Set<string>> {
  const rows = await database.em.fork().execute<{ id: string }[]>(
    `select distinct first_frame as id from video_task
     where first_frame in (select value::uuid from jsonb_array_elements_text(?::jsonb))`,
    [JSON.stringify(imageIds)],
  )
  return new Set(rows.map(({ id }) => id))
}
