import type { Database } from '#backend/kernel/postgres/query.ts'
import { query } from '#backend/kernel/postgres/query.ts'
import { readSnapshot } from '../engine/readModel.ts'
import { type DeskBulkRow, deskBulks } from './deskBulk.ts'

/** Returns the latest bulks, newest first. */
export const readBulks = (database: Database) =>
  query<DeskBulkRow>(database, 'select * from desk_bulk order by asked_at desc, id limit 5')

/** Returns the ids of bulks that have not ended. */
export const readOpenBulks = (database: Database) => readSnapshot<string>(database, deskBulks, 'id', 'done is null')

/** Returns those of the videos that an action repeats. */
export async function readRepeated(database: Database, taskIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await query<{ subject: string }>(
    database,
    `select subject from desk_action where kind = 'retry_task' and status in ('asked', 'done')
       and subject in (select jsonb_array_elements_text($1::jsonb))`,
    [JSON.stringify(taskIds)],
  )
  return new Set(rows.map(({ subject }) => subject))
}

/** Returns the ids of the actions that were to make a video again. */
export const readRepetitions = async (database: Database, taskId: string): Promise<string[]> =>
  (
    await query<{ id: string }>(database, `select id from desk_action where kind = 'retry_task' and subject = $1`, [
      taskId,
    ])
  ).map(({ id }) => id)
