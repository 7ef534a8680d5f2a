import { computed } from 'nanostores'
import type { Task } from '#backend/tasks/contract.ts'
import { isFinal, percentOf } from '../../api/taskProgress.ts'
import { $polling } from './realtime.ts'

/** Returns the progress of a task in percent; null for an open one while the page polls, which learns of it too late. */
export const $shownPercent = computed(
  $polling,
  (polling) => (task: Pick<Task, 'status' | 'progress'>) => (polling && !isFinal(task) ? null : percentOf(task)),
)
