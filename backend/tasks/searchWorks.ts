import { listVideoTasks, type TaskFilter, type TaskWithProgress } from '#projections/tasks/readVideoTasks.ts'
import type { Database } from '../kernel/postgres/orm.ts'

interface Search {
  readonly filter: TaskFilter
  /** Part of the prompt, in any case. */
  readonly text: string | undefined
  readonly page: number
  readonly perPage: number
}

const AT_ONCE = 500
const folded = (text: string) => text.normalize('NFKC').toLowerCase()

/**
 * One page of a user's works, newest first. The database cannot read the prompts: a search opens all that the rest of
 * the filter leaves, some hundreds at a time, and keeps only what it shows.
 */
export async function searchWorks(
  database: Database,
  decrypt: (userId: string, sealed: string) => Promise<string | undefined>,
  userId: string,
  { filter, text, page, perPage }: Search,
): Promise<{ tasks: TaskWithProgress[]; total: number }> {
  if (!text) return listVideoTasks(database, userId, { ...filter, page, perPage })
  const wanted = folded(text)
  const first = (page - 1) * perPage
  const tasks: TaskWithProgress[] = []
  let found = 0
  for (let chunk = 1; ; chunk++) {
    const read = await listVideoTasks(database, userId, { ...filter, page: chunk, perPage: AT_ONCE })
    for (const row of read.tasks) {
      if (!folded((await decrypt(userId, row.encrypted_prompt)) ?? '').includes(wanted)) continue
      if (found >= first && tasks.length < perPage) tasks.push(row)
      found++
    }
    if (chunk * AT_ONCE >= read.total) return { tasks, total: found }
  }
}
