import { type EndedTask, readEndedSince, readNewlyEnded } from '#projections/tasks/readVideoTasks.ts'
import { type Change, type Changes, RELISTENED } from '../kernel/postgres/changes.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { Clock } from '../kernel/time.ts'

interface TellDeps {
  readonly database: Database
  readonly changes: Pick<Changes, 'subscribe'>
  readonly clock: Clock
  /** Called with videos that it may have been called with before. */
  readonly tell: (videos: readonly EndedTask[]) => Promise<void>
  readonly onError: (error: unknown) => void
}

/** Older videos are changed by a rebuild, and are no news. */
const NEWS_MS = 3_600_000
/** Most changes are of videos that have not ended, so those of half a second are looked up together. */
const TOGETHER_MS = 500

/**
 * Tells about each video that succeeds or fails, and about those of the last hour at the start and after notifications
 * may have been lost. Returns a function that unsubscribes and waits for the last one.
 */
export function tellWhenDone({ database, changes, clock, tell, onError }: TellDeps): () => Promise<void> {
  let last = Promise.resolve()
  const tellAbout = (read: (since: Date) => Promise<EndedTask[]>) => {
    const since = new Date(clock() - NEWS_MS)
    last = last.then(async () => tell(await read(since))).catch(onError)
  }
  const catchUp = () => tellAbout((since) => readEndedSince(database, since))
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const tellChanged = () => {
    clearTimeout(timer)
    timer = undefined
    const ids = [...changed]
    changed.clear()
    if (ids.length > 0) tellAbout((since) => readNewlyEnded(database, ids, since))
  }
  const unsubscribe = changes.subscribe(({ name, ids }: Change) => {
    if (name === 'videoTasks') {
      for (const id of ids) changed.add(id)
      timer ??= setTimeout(tellChanged, TOGETHER_MS)
    }
    if (name === RELISTENED) catchUp()
  })
  catchUp()
  return () => {
    unsubscribe()
    tellChanged()
    return last
  }
}
