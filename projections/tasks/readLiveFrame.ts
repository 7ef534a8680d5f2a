import type { Database } from '#backend/kernel/postgres/query.ts'
import { query } from '#backend/kernel/postgres/query.ts'

/** Returns the picture so far of a running render as a JPEG, if its engine shows one. */
export async function readLiveFrame(database: Database, taskId: string): Promise<Buffer | undefined> {
  const sql = `select encode(frame, 'base64') as frame from render_progress where task_id = $1`
  const [row] = await query<{ frame: string | null }>(database, sql, [taskId])
  return row?.frame ? Buffer.from(row.frame, 'base64') : undefined
}
