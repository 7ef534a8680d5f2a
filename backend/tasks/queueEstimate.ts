/** A task that is being made, or waits for it. Times are epoch milliseconds. */
export interface QueuedTask {
  readonly id: string
  /** Its place among all that wait, from 1; null for one that is being made. */
  readonly place: number | null
  readonly startedAt: number | null
  /** How far its rendering is, where the provider tells. */
  readonly percent: number | null
  /** How long such a task takes: milliseconds from its start to the finished file. */
  readonly typicalMs: number
}

export interface QueueState {
  readonly now: number
  /** Tasks that can be made at once, of everyone's (1 or more) and of the user's own. */
  readonly slots: number
  readonly concurrent: number
  /** Everyone's tasks that are being made. */
  readonly running: readonly Pick<QueuedTask, 'startedAt' | 'typicalMs'>[]
  /** The user's own open tasks. */
  readonly own: readonly QueuedTask[]
  /** How long a task takes on the average of all kinds. */
  readonly typicalMs: number
}

/** Where nothing has been made yet: the help text's one to three minutes. */
export const FIRST_GUESS_MS = 120_000
/** A task that takes longer than usual may be done at any moment. */
const ANY_MOMENT_MS = 5_000
/** Below this a rendering has not come far enough to go by. */
const TELLING_PERCENT = 10

const byTime = ({ startedAt, typicalMs }: Pick<QueuedTask, 'startedAt' | 'typicalMs'>, now: number) =>
  Math.max(ANY_MOMENT_MS, (startedAt ?? now) + typicalMs - now)

function remaining(task: QueuedTask, now: number): number {
  const { startedAt, percent } = task
  if (startedAt === null || percent === null || percent < TELLING_PERCENT) return byTime(task, now)
  return Math.max(ANY_MOMENT_MS, ((now - startedAt) * (100 - percent)) / percent)
}

/**
 * Milliseconds until each of the user's open tasks is done, by id: as if every task took as long as its like did lately,
 * each taking the first slot that is free, and the user's own lane letting only so many of them through at once.
 */
export function estimateQueue({ now, slots, concurrent, running, own, typicalMs }: QueueState): Map<string, number> {
  const busy = running.map((task) => byTime(task, now)).toSorted((a, b) => a - b)
  // The slots by when they are next free; those that nobody has are free now.
  const free = [...Array<number>(Math.max(0, slots - busy.length)).fill(0), ...busy].slice(0, slots)
  const left = new Map<string, number>()
  for (const task of own) if (task.place === null) left.set(task.id, remaining(task, now))
  // When each place of the user's own lane is next free.
  const lane = [...left.values(), ...Array<number>(Math.max(0, concurrent - left.size)).fill(0)]
  for (const task of own.filter(({ place }) => place !== null).toSorted((a, b) => a.place! - b.place!)) {
    const ahead = task.place! - 1
    const turn = free[ahead % free.length]! + Math.floor(ahead / free.length) * typicalMs
    lane.sort((a, b) => a - b)
    const done = Math.max(turn, lane[0] ?? 0) + task.typicalMs
    lane[0] = done
    left.set(task.id, done)
  }
  return left
}
