import { beforeEach, expect, it, vi } from 'vitest'
import type { Task } from '#backend/tasks/contract.ts'
import { $joins, loadJoins } from './joins.ts'

const task = { id: '1', task_type: 'join', status: 'Processing', progress: 40, error_code: null } as Task

beforeEach(() => {
  vi.useFakeTimers()
  return () => vi.useRealTimers()
})

it('a join that was deleted in another tab is no longer shown, nor asked for', async () => {
  const status = { of: 200 }
  const fetch = vi.fn(async (address: string) => {
    if (!address.includes('/tasks/1')) return Response.json({ tasks: [task], total: 1 })
    return status.of === 200 ? Response.json(task) : Response.json({ code: 'not_found' }, { status: status.of })
  })
  vi.stubGlobal('fetch', fetch)
  await loadJoins()
  await vi.advanceTimersByTimeAsync(1_500)
  expect($joins.get()).toEqual([task])
  // The server is restarted.
  status.of = 503
  await vi.advanceTimersByTimeAsync(1_000)
  expect($joins.get()).toEqual([task])
  status.of = 404
  await vi.advanceTimersByTimeAsync(1_000)
  expect($joins.get()).toEqual([])
  const asked = fetch.mock.calls.length
  await vi.advanceTimersByTimeAsync(5_000)
  expect(fetch).toHaveBeenCalledTimes(asked)
})
