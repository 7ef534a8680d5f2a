import type * as z from 'zod/mini'
import { readPace, readQueue } from '#projections/tasks/readQueue.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { Queue } from './contract.ts'

/** An open task. Times are epoch milliseconds. */
export interface QueuedTask {
  readonly id: string
  /** 1-based position among all waiting tasks; null for a task that is rendering. */
  readonly place: number | null
  readonly startedAt: number | null
  /** Rendering progress in percent; null if the provider does not report it. */
  readonly percent: number | null
  /** Estimated milliseconds until its workflow starts; 0 once it has. */
  readonly startsInMs: number
  /** Typical time in milliseconds from start to finished file for this resolution and duration. */
  readonly typicalMs: number
}

export interface QueueState {
  readonly now: number
  /** Concurrent renders: as many as are expected for all users together (at least 1), and this user's limit. */
  readonly slots: number
  readonly concurrent: number
  /** Renders that may start in a minute, for all users together; undefined if that is not limited. */
  readonly createsPerMinute?: number | undefined
  /** Tasks of all users that are rendering. */
  readonly running: readonly Pick<QueuedTask, 'startedAt' | 'typicalMs'>[]
  /** This user's open tasks. */
  readonly own: readonly QueuedTask[]
  /** Average of `typicalMs` over all resolutions and durations. */
  readonly typicalMs: number
}

interface QueueQuery extends Pick<QueueState, 'now' | 'slots' | 'concurrent' | 'createsPerMinute'> {
  readonly userId: string
  /** Maximum number of open tasks in the user's plan. */
  readonly openTasks: number
  /** Milliseconds that a render is expected to take before any video is finished. */
  readonly firstEstimateMs: number
}

/** Minimum estimate, for tasks that take longer than usual. */
const OVERDUE_MS = 5_000
/** Time per start at the rate of one Temporal server under load. */
const START_MS = 20
/** Minimum progress, in percent, for extrapolating the remaining time. */
const MIN_PERCENT = 10

/** Returns the queue as the API shows it to a user, with an estimate for each of the user's open tasks. */
export async function readQueueView(database: Database, query: QueueQuery): Promise<z.input<typeof Queue>> {
  const [{ waiting, running, own }, pace] = await Promise.all([readQueue(database, query.userId), readPace(database)])
  const average = pace.length > 0 ? pace.reduce((sum, { ms }) => sum + ms, 0) / pace.length : query.firstEstimateMs
  const timed = <T extends { resolution: string; duration: number; started_at: string | null }>(task: T) => ({
    ...task,
    startedAt: task.started_at === null ? null : Date.parse(task.started_at),
    typicalMs:
      pace.find(({ resolution, duration }) => resolution === task.resolution && duration === task.duration)?.ms ??
      average,
  })
  // If starts are held up, expect to wait at least as long as the oldest unstarted task has waited.
  const startsInMs = ({ unstarted, unstarted_since: since }: (typeof own)[number]) =>
    unstarted === 0 || since === null ? 0 : Math.max(unstarted * START_MS, query.now - Date.parse(since))
  const timedOwn = own.map((task) => ({ ...timed(task), startsInMs: startsInMs(task) }))
  const left = estimateQueue({ ...query, running: running.map(timed), own: timedOwn, typicalMs: average })
  const places = own.flatMap(({ place }) => place ?? [])
  return {
    global_queue: waiting,
    user_queue_position: places.length > 0 ? Math.min(...places) : null,
    user_in_progress: own.length,
    user_limit: query.openTasks,
    tasks: own.map(({ id, place }) => ({ id, position: place, seconds_left: Math.round((left.get(id) ?? 0) / 1000) })),
  }
}

const remainingByTime = ({ startedAt, typicalMs }: Pick<QueuedTask, 'startedAt' | 'typicalMs'>, now: number) =>
  Math.max(OVERDUE_MS, (startedAt ?? now) + typicalMs - now)

function remaining(task: QueuedTask, now: number): number {
  const { startedAt, percent } = task
  if (startedAt === null || percent === null || percent < MIN_PERCENT) return remainingByTime(task, now)
  return Math.max(OVERDUE_MS, ((now - startedAt) * (100 - percent)) / percent)
}

/**
 * Returns the estimated milliseconds until each of the user's open tasks finishes, keyed by id. Assumes that every task
 * starts in the first free slot, takes its typical time, and that the user's lane admits `concurrent` tasks at a time.
 */
export function estimateQueue({
  now,
  slots,
  concurrent,
  createsPerMinute,
  running,
  own,
  typicalMs,
}: QueueState): Map<string, number> {
  // An engine may render more at a time than is expected of it.
  const width = Math.max(slots, running.length)
  const busy = running.map((task) => remainingByTime(task, now)).toSorted((a, b) => a - b)
  // Milliseconds until each shared slot is free; idle slots are free now.
  const free = [...Array<number>(width - busy.length).fill(0), ...busy]
  const left = new Map<string, number>()
  for (const task of own) if (task.place === null) left.set(task.id, remaining(task, now))
  // Milliseconds until each slot of the user's lane is free.
  const lane = [...left.values(), ...Array<number>(Math.max(0, concurrent - left.size)).fill(0)]
  const waiting = own.flatMap((task) => (task.place === null ? [] : [{ ...task, ahead: task.place - 1 }]))
  for (const { ahead, ...task } of waiting.toSorted((a, b) => a.ahead - b.ahead)) {
    const slot = (free[ahead % free.length] ?? 0) + Math.floor(ahead / free.length) * typicalMs
    const turn = Math.max(slot, createsPerMinute ? Math.floor(ahead / createsPerMinute) * 60_000 : 0)
    lane.sort((a, b) => a - b)
    const done = Math.max(turn, lane[0] ?? 0, task.startsInMs) + task.typicalMs
    lane[0] = done
    left.set(task.id, done)
  }
  return left
}
