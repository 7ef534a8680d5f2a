import { readVideoTasks } from '#projections/tasks/readVideoTasks.ts'
import type { Change, Changes } from '../kernel/postgres/changes.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { Clock } from '../kernel/time.ts'

interface TellDeps {
  readonly database: Database
  readonly changes: Pick<Changes, 'subscribe'>
  readonly clock: Clock
  readonly tell: (video: { taskId: string; userId: string; succeeded: boolean; finishedAt: string }) => Promise<void>
  readonly onError: (error: unknown) => void
}

/** Older videos are changed by a rebuild, and are no news. */
const NEWS_MS = 3_600_000

/** Tells about each video that succeeded or failed. Returns a function that unsubscribes and waits for the last one. */
export function tellWhenDone({ database, changes, clock, tell, onError }: TellDeps): () => Promise<void> {
  const tellAbout = async (ids: readonly string[]) => {
    for (const row of await readVideoTasks(database, ids)) {
      if (!row.finished_at || clock() - Date.parse(row.finished_at) > NEWS_MS) continue
      const succeeded = row.status === 'Success'
      if (!succeeded && (row.status !== 'Fail' || row.error_code === 'cancelled')) continue
      await tell({ taskId: row.id, userId: row.user_id, succeeded, finishedAt: row.finished_at })
    }
  }
  let last = Promise.resolve()
  const unsubscribe = changes.subscribe(({ name, ids }: Change) => {
    if (name === 'videoTasks') last = last.then(() => tellAbout(ids)).catch(onError)
  })
  return () => {
    unsubscribe()
    return last
  }
}
