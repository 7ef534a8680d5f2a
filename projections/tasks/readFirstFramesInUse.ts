import { type Database, query } from '../engine/query.ts'

/** Returns those of the images that are the first frame of a task in any state. */
export async function readFirstFramesInUse(database: Database, imageIds: readonly string[]): Promise<Set<string>> {
  const rows = await query<{ id: string }>(
    database,
    `select distinct first_frame as id from video_task
     where first_frame in (select value::uuid from jsonb_array_elements_text(:ids::jsonb))`,
    { ids: JSON.stringify(imageIds) },
  )
  return new Set(rows.map(({ id }) => id))
}
