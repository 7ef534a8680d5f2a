import type * as z from 'zod/mini'
import { readPace, readQueue } from '#projections/tasks/readQueue.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { Queue } from './contract.ts'
import { estimateQueue, FIRST_GUESS_MS } from './queueEstimate.ts'

interface Asked {
  readonly userId: string
  /** Tasks that can be made at once, of everyone's. */
  readonly slots: number
  /** What the user's plan allows. */
  readonly openTasks: number
  readonly concurrent: number
  readonly now: number
}

/** The queue as the API shows it to a user, with an estimate for each of the user's open tasks. */
export async function queueView(database: Database, asked: Asked): Promise<z.input<typeof Queue>> {
  const [{ waiting, running, own }, pace] = await Promise.all([readQueue(database, asked.userId), readPace(database)])
  const average = pace.length > 0 ? pace.reduce((sum, { ms }) => sum + ms, 0) / pace.length : FIRST_GUESS_MS
  const timed = <T extends { resolution: string; duration: number; started_at: string | null }>(task: T) => ({
    ...task,
    startedAt: task.started_at === null ? null : Date.parse(task.started_at),
    typicalMs:
      pace.find(({ resolution, duration }) => resolution === task.resolution && duration === task.duration)?.ms ??
      average,
  })
  const left = estimateQueue({ ...asked, running: running.map(timed), own: own.map(timed), typicalMs: average })
  const places = own.flatMap(({ place }) => place ?? [])
  return {
    global_queue: waiting,
    user_queue_position: places.length > 0 ? Math.min(...places) : null,
    user_in_progress: own.length,
    user_limit: asked.openTasks,
    tasks: own.map(({ id, place }) => ({ id, position: place, seconds_left: Math.round(left.get(id)! / 1000) })),
  }
}
