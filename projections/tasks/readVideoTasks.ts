import type { Database } from '../readModel.ts'
import { type VideoTaskRow, VideoTaskTable } from './videoTask.ts'

interface Page {
  readonly page: number
  readonly perPage: number
  readonly status?: string | undefined
}

type Raw = { row: VideoTaskRow & { percent: number | null } }
/** A task's row with how far its rendering has come, in percent. */
export type TaskWithProgress = Raw['row']

const SELECT = `select to_jsonb(t) || jsonb_build_object('percent', p.percent) as row
  from "${VideoTaskTable.meta.tableName}" t left join render_progress p on p.task_id = t.id`

/** One page of a user's tasks, newest first, and how many there are in all. */
export async function listVideoTasks(database: Database, userId: string, { page, perPage, status }: Page) {
  const em = database.em.fork()
  const where = 'user_id = ? and (?::text is null or status = ?)'
  const filter = [userId, status ?? null, status ?? null]
  const rows = await em.execute<Raw[]>(`${SELECT} where ${where} order by created_at desc, id desc limit ? offset ?`, [
    ...filter,
    perPage,
    (page - 1) * perPage,
  ])
  const [counted] = await em.execute<{ total: number }[]>(
    `select count(*)::int as total from video_task where ${where}`,
    filter,
  )
  return { tasks: rows.map(({ row }) => row), total: counted!.total }
}

export async function readVideoTasks(database: Database, ids: readonly string[]): Promise<TaskWithProgress[]> {
  const rows = await database.em
    .fork()
    .execute<Raw[]>(`${SELECT} where id in (select value::uuid from jsonb_array_elements_text(?::jsonb))`, [
      JSON.stringify(ids),
    ])
  return rows.map(({ row }) => row)
}

/** How many tasks wait in all, the best place among them that is the user's (from 1), and the user's open tasks. */
export async function readQueue(database: Database, userId: string) {
  const [row] = await database.em.fork().execute<{ waiting: number; place: number | null; open: number }[]>(
    `with waiting as (
       select user_id, row_number() over (order by priority, created_at, id) as place
       from video_task where status in ('Preparing', 'Queueing'))
     select (select count(*)::int from waiting) as waiting,
            (select min(place)::int from waiting where user_id = ?) as place,
            (select count(*)::int from video_task where user_id = ? and status not in ('Success', 'Fail')) as open`,
    [userId, userId],
  )
  return row!
}
