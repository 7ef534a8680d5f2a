import { readNewlyEnded } from '#projections/tasks/readVideoTasks.ts'
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
    for (const { id, ...video } of await readNewlyEnded(database, ids, new Date(clock() - NEWS_MS)))
      await tell({ taskId: id, ...video })
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
