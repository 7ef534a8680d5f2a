import { TASK_STATUSES, type Task, type TaskStatus } from '#backend/tasks/contract.ts'

const STEPS = ['Preparing', 'Queueing', 'Processing', 'DOWNLOADING'] as const

export interface Step {
  readonly name: (typeof STEPS)[number]
  readonly state: 'done' | 'active' | 'ahead'
  /** Completed fraction, from 0 to 1. */
  readonly part: number
}

/** Parses a status, ignoring case. Reads `failed` as `Fail`; returns undefined if the status is unknown. */
export function readStatus(status: string): TaskStatus | undefined {
  const word = status.toLowerCase() === 'failed' ? 'fail' : status.toLowerCase()
  return TASK_STATUSES.find((known) => known.toLowerCase() === word)
}

export const isFinal = (task: Pick<Task, 'status'>): boolean => {
  const status = readStatus(task.status)
  return status === 'Success' || status === 'Fail'
}

/** Returns whether the task counts as in progress in the queue's heading. */
export const isInProgress = (task: Pick<Task, 'status'>): boolean => {
  const status = readStatus(task.status)
  return status === 'Preparing' || status === 'Queueing' || status === 'Processing'
}

/** Returns whether the task is waiting, so that it can still be cancelled. */
export const isWaiting = (task: Pick<Task, 'status'>): boolean => {
  const status = readStatus(task.status)
  return status === 'Preparing' || status === 'Queueing'
}

const clamp = (value: number) => Math.min(100, Math.max(0, value))

/** Returns the overall progress in percent: up to 10 while waiting, up to 94 while rendering, 96 while downloading. */
export function percentOf(task: Pick<Task, 'status' | 'progress'>): number {
  switch (readStatus(task.status)) {
    case 'Preparing':
      return 3
    case 'Queueing':
      return 8
    case 'Processing':
      return Math.round(10 + clamp(task.progress ?? 0) * 0.84)
    case 'DOWNLOADING':
      return 96
    case 'Success':
    case 'Fail':
      return 100
    case undefined:
      return 0
  }
}

export function stepsOf(task: Pick<Task, 'status' | 'progress'>): readonly Step[] {
  const status = readStatus(task.status)
  const at = (STEPS as readonly (string | undefined)[]).indexOf(status)
  return STEPS.map((name, index) => {
    if (status === 'Success' || index < at) return { name, state: 'done', part: 1 }
    if (index > at) return { name, state: 'ahead', part: 0 }
    return { name, state: 'active', part: name === 'Processing' ? clamp(task.progress ?? 0) / 100 : 0 }
  })
}

/** Returns the picture of a task: the finished video's still, the picture so far, or the first frame. */
export const stillOf = (task: Pick<Task, 'thumbnail_url' | 'live_frame_url' | 'first_frame_image_url'>) =>
  task.thumbnail_url ?? task.live_frame_url ?? task.first_frame_image_url
