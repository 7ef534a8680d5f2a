import { atom, computed } from 'nanostores'
import type * as z from 'zod/mini'
import { getQueue, type Queue } from '#backend/tasks/contract.ts'
import { call } from '../../api/api.ts'

const $queue = atom<z.infer<typeof Queue> | null>(null)
let readAt = 0

export async function loadQueue(): Promise<void> {
  const queue = await call(getQueue)
  readAt = Date.now()
  $queue.set(queue)
}

/** Number of the user's unfinished tasks by the server's count; null until it is read. */
export const $counted = computed($queue, (queue) => queue?.user_in_progress ?? null)

/** Current time in Unix milliseconds, updated periodically to keep ages and estimates current. */
export const $now = atom(Date.now())

export interface Estimate {
  /** Position in the queue, starting at 1, or null while the task is rendering. */
  readonly position: number | null
  readonly secondsLeft: number
}

/** Returns whether a task of the user waits. Others change its position and estimate. */
export const isWaiting = (): boolean => $queue.get()?.tasks.some(({ position }) => position !== null) ?? false

/** Queue estimates of the user's open tasks, by task id. Those of tasks that wait do not count down. */
export const $estimates = computed([$queue, $now], (queue, now): ReadonlyMap<string, Estimate> => {
  const passed = Math.max(0, now - readAt) / 1000
  return new Map(
    queue?.tasks.map(({ id, position, seconds_left }) => [
      id,
      { position, secondsLeft: Math.max(0, position === null ? seconds_left - passed : seconds_left) },
    ]),
  )
})
