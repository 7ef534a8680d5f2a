/** The queue: where the user's tasks stand in it, and about how long they take. */
import { atom, computed } from 'nanostores'
import type * as z from 'zod/mini'
import { getQueue, type Queue } from '#backend/tasks/contract.ts'
import { call } from '../../api/api.ts'

export const $queue = atom<z.infer<typeof Queue> | null>(null)
let readAt = 0

export async function loadQueue(): Promise<void> {
  const queue = await call(getQueue)
  readAt = Date.now()
  $queue.set(queue)
}

/** Ticks so that "2 minutes ago" and "about 2 minutes left" stay true. */
export const $now = atom(Date.now())

export interface Estimate {
  /** From 1; null for one that is being made. */
  readonly position: number | null
  /** 0: any moment now. */
  readonly secondsLeft: number
}

/** By the ids of the user's open tasks. */
export const $estimates = computed([$queue, $now], (queue, now): ReadonlyMap<string, Estimate> => {
  const passed = Math.max(0, now - readAt) / 1000
  return new Map(
    queue?.tasks.map(({ id, position, seconds_left }) => [
      id,
      { position, secondsLeft: Math.max(0, seconds_left - passed) },
    ]),
  )
})
