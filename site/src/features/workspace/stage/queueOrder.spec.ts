import { expect, it } from 'vitest'
import type { Task } from '#backend/tasks/contract.ts'
import { inQueueOrder } from './queueOrder.ts'

it('orders rendering tasks, then waiting ones by position, then finished ones newest first', () => {
  const tasks = [
    { id: 'failed', status: 'Fail' },
    { id: 'third', status: 'Queueing' },
    { id: 'unknown', status: 'Preparing' },
    { id: 'second', status: 'Queueing' },
    { id: 'rendering', status: 'Processing' },
    { id: 'done', status: 'Success' },
  ] as Task[]
  const positions = new Map([
    ['third', { position: 3 }],
    ['second', { position: 2 }],
  ])
  expect(inQueueOrder(tasks, positions).map(({ id }) => id)).toEqual([
    ...['rendering', 'second', 'third', 'unknown', 'failed', 'done'],
  ])
})
