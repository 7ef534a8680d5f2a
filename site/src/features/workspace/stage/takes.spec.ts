import { expect, it } from 'vitest'
import type { Task } from '#backend/tasks/contract.ts'
import { $tasks } from '../tasks.ts'
import { $current, showTake } from './takes.ts'

const task = (id: string, status: Task['status']) => ({ id, status, created_at: '' }) as unknown as Task
const show = (...tasks: readonly Task[]) => $tasks.set({ status: 'ready', tasks, total: tasks.length })

it('keeps the take that follows a deleted one on the stage when the order changes', () => {
  show(task('a', 'Processing'), task('b', 'Processing'), task('c', 'Success'))
  showTake('c')
  show(task('a', 'Processing'), task('b', 'Processing'))
  expect($current.get()?.id).toBe('a')
  show(task('b', 'Processing'), task('a', 'Success'))
  expect($current.get()?.id).toBe('a')
})
