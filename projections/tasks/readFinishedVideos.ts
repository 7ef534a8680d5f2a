import type { Queries } from '../engine/readRows.ts'

/** Returns the ids of all tasks whose video was delivered. */
export async function readFinishedVideos(client: Queries): Promise<string[]> {
  const { rows } = await client.query(`select id from video_task where status = 'Success'`)
  return (rows as { id: string }[]).map(({ id }) => id)
}
