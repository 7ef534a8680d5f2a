import type { Task } from '#backend/tasks/contract.ts'
import { isFinal, isWaiting } from '../../../api/taskProgress.ts'

/** Position of a waiting task, by task id, starting at 1. */
export type Positions = ReadonlyMap<string, { readonly position: number | null }>

/**
 * Orders tasks as a creator follows them: those being rendered, those waiting by their position, then the finished ones
 * as they come, which is newest first. See docs/decisions/0033-the-stage.md.
 */
export function inQueueOrder(tasks: readonly Task[], positions: Positions): readonly Task[] {
  const rank = (task: Task) => (isFinal(task) ? 2 : isWaiting(task) ? 1 : 0)
  const place = (task: Task) => (isWaiting(task) ? (positions.get(task.id)?.position ?? Number.MAX_SAFE_INTEGER) : 0)
  return tasks.toSorted((a, b) => rank(a) - rank(b) || place(a) - place(b))
}
