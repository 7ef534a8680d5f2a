import type { Task } from '#backend/tasks/contract.ts'
import { titleOf } from '../workspace/titleOf.ts'

const MOST = 25

/** A work's title, cut to 25 characters. */
export function workTitle(task: Task): string {
  const title = [...titleOf(task)]
  return title.length > MOST ? `${title.slice(0, MOST).join('').trimEnd()}…` : title.join('')
}
