import type { Database } from '../engine/readModel.ts'
import type { VideoTaskRow } from './videoTask.ts'

/** Which of a user's tasks; what is left out does not matter. */
export interface TaskFilter {
  readonly status?: string | undefined
  readonly taskType?: string | undefined
  readonly model?: string | undefined
  /** ISO instants: created at or after the one, and before the other. */
  readonly from?: string | undefined
  readonly before?: string | undefined
}
interface Page extends TaskFilter {
  readonly page: number
  readonly perPage: number
}

type Raw = { row: VideoTaskRow & { percent: number | null } }
/** A task's row with how far its rendering has come, in percent. */
export type TaskWithProgress = Raw['row']

const SELECT = `select to_jsonb(t) || jsonb_build_object('percent', p.percent) as row
  from video_task t left join render_progress p on p.task_id = t.id`

/** One page of a user's tasks, newest first, and how many there are in all. */
export async function listVideoTasks(database: Database, userId: string, { page, perPage, ...filter }: Page) {
  const em = database.em.fork()
  const where = `user_id = :userId and (:status::text is null or status = :status)
    and (:taskType::text is null or task_type = :taskType) and (:model::text is null or model = :model)
    and (:from::timestamptz is null or created_at >= :from) and (:before::timestamptz is null or created_at < :before)`
  const { status = null, taskType = null, model = null, from = null, before = null } = filter
  const values = { userId, status, taskType, model, from, before, perPage, offset: (page - 1) * perPage }
  const rows = await em.execute<Raw[]>(
    ...named(`${SELECT} where ${where} order by created_at desc, id desc limit :perPage offset :offset`, values),
  )
  const [counted] = await em.execute<{ total: number }[]>(
    ...named(`select count(*)::int as total from video_task where ${where}`, values),
  )
  return { tasks: rows.map(({ row }) => row), total: counted!.total }
}

/** A statement with named parameters (`:name`, but not `::type`) as MikroORM takes it. */
function named(sql: string, values: Readonly<Record<string, unknown>>): [string, unknown[]] {
  const parameters: unknown[] = []
  const text = sql.replace(/(?<!:):([a-zA-Z]+)/g, (_, name: string) => {
    parameters.push(values[name])
    return '?'
  })
  return [text, parameters]
}

export async function readVideoTasks(database: Database, ids: readonly string[]): Promise<TaskWithProgress[]> {
  const rows = await database.em
    .fork()
    .execute<Raw[]>(`${SELECT} where id in (select value::uuid from jsonb_array_elements_text(?::jsonb))`, [
      JSON.stringify(ids),
    ])
  return rows.map(({ row }) => row)
}
