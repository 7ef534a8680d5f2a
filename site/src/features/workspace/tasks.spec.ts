import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Task } from '#backend/tasks/contract.ts'
import { $credits } from '../../api/credits.ts'
import { $toasts } from '../../ui/toasts/toasts.ts'
import { $open } from './generate/takeCount.ts'
import { loadQueue } from './queue.ts'
import { $tasks, applyUpdate, cancelOpenTask, dropTask, loadTasks, putTask, refreshList, rereadTask } from './tasks.ts'

const task = (id: string, status: Task['status']) =>
  ({ id, url: `/film/${id}`, status, created_at: `2026-01-0${id}` }) as unknown as Task

/** A server whose answers to the list the test gives, in its own order. */
function heldServer() {
  const answers: ((tasks: readonly Task[]) => void)[] = []
  vi.stubGlobal('fetch', (address: string) => {
    if (!address.includes('/videos/tasks')) return Promise.reject(new TypeError('not part of the test'))
    return new Promise<Response>((resolve) => {
      answers.push((tasks) => resolve(Response.json({ tasks, total: tasks.length })))
    })
  })
  return answers
}

const shown = () => $tasks.get().tasks.map(({ id, status }) => `${id} ${status}`)

beforeEach(() => $tasks.set({ status: 'ready', tasks: [task('1', 'Queueing')], total: 1 }))

describe('loads of the list that overlap', () => {
  it('keep an update that is newer than both answers', async () => {
    const answers = heldServer()
    const loads = [loadTasks(), loadTasks()]
    applyUpdate(task('1', 'Processing'))
    answers[0]!([task('1', 'Queueing')])
    await loads[0]
    expect(shown()).toEqual(['1 Processing'])
    answers[1]!([task('1', 'Queueing')])
    await loads[1]
    expect(shown()).toEqual(['1 Processing'])
  })

  it('keep a task that was created after both began', async () => {
    const answers = heldServer()
    const loads = [loadTasks(), loadTasks()]
    putTask(task('2', 'Preparing'))
    for (const answer of answers) answer([task('1', 'Queueing')])
    await Promise.all(loads)
    expect(shown()).toEqual(['2 Preparing', '1 Queueing'])
  })

  it('ignore the answer to an earlier one that arrives after that to a later one', async () => {
    const answers = heldServer()
    const loads = [loadTasks(), loadTasks()]
    answers[1]!([task('1', 'Success')])
    await loads[1]
    answers[0]!([task('1', 'Queueing')])
    await loads[0]
    expect(shown()).toEqual(['1 Success'])
  })
})

describe('a refresh', () => {
  it('also reads the balance, whose messages can be missed like those of tasks', async () => {
    const asked: string[] = []
    vi.stubGlobal('fetch', async (address: string) => {
      asked.push(address)
      const stats = { remaining_credits: 60, total_credits: 60, current_tier: 'free', current_status: 'active' }
      return Response.json({ tasks: [], total: 0, ...stats })
    })
    $credits.set({ remaining: 30, total: 60, tier: 'free' })
    expect(await refreshList()).toBe(true)
    expect($credits.get()).toMatchObject({ remaining: 60 })
    expect(asked.filter((address) => address.includes('/subscriptions/stats'))).toHaveLength(1)
  })
})

describe('an update', () => {
  it('does not take a finished video back to an earlier step', () => {
    heldServer()
    applyUpdate(task('1', 'Success'))
    applyUpdate(task('1', 'Processing'))
    expect(shown()).toEqual(['1 Success'])
  })

  it('does not bring a cancelled task back to the queue, but may say that its video arrived', () => {
    heldServer()
    applyUpdate(task('1', 'Fail'))
    applyUpdate(task('1', 'Queueing'))
    expect(shown()).toEqual(['1 Fail'])
    applyUpdate(task('1', 'Success'))
    expect(shown()).toEqual(['1 Success'])
  })

  it('replaces the message that the video is being generated when another tab has cancelled it', () => {
    heldServer()
    $toasts.set([])
    const texts = () => $toasts.get().map(({ text }) => text)
    applyUpdate(task('1', 'Processing'))
    expect(texts()).toEqual(['Your video is being generated.'])
    applyUpdate({ ...task('1', 'Fail'), error_code: 'cancelled' })
    expect(texts()).toEqual(['The task was cancelled. You were not charged.'])
  })
})

describe('a task that was deleted in another tab', () => {
  const gone = (id: string) => {
    vi.stubGlobal('fetch', async () => Response.json({ code: 'not_found' }, { status: 404 }))
    $tasks.set({ status: 'ready', tasks: [task(id, 'Queueing')], total: 1 })
  }

  it('leaves the list, and is not restored by an update still on its way', () => {
    gone('6')
    dropTask('6')
    applyUpdate(task('6', 'Queueing'))
    expect($tasks.get()).toEqual({ status: 'ready', tasks: [], total: 0 })
  })

  it('leaves the list when it is read again without a socket', async () => {
    gone('7')
    await rereadTask('7')
    expect(shown()).toEqual([])
  })
})

describe('the number of unfinished tasks', () => {
  it('is never more than the server counts', async () => {
    vi.stubGlobal('fetch', async () => Response.json({ user_in_progress: 2, tasks: [] }))
    await loadQueue()
    $tasks.set({ status: 'ready', tasks: ['8', '9', '10', '11'].map((id) => task(id, 'Queueing')), total: 4 })
    expect($open.get()).toBe(2)
    $tasks.set({ status: 'ready', tasks: [task('8', 'Queueing'), task('9', 'Success')], total: 2 })
    expect($open.get()).toBe(1)
  })
})

describe('a cancellation', () => {
  /** A server that cancels a task unless it is finished, and deletes any. */
  function serverWith(id: string, status: Task['status']) {
    const calls: string[] = []
    vi.stubGlobal('fetch', async (address: string, { method }: RequestInit) => {
      if (!address.includes('/videos/tasks/')) return Response.json({ code: 'internal' }, { status: 500 })
      calls.push(method!)
      const refuse = (code: string) => Response.json({ code }, { status: 409 })
      if (method === 'DELETE') return new Response(null, { status: 204 })
      if (status === 'Success') return refuse('cannot_cancel')
      return Response.json({ task: task(id, status === 'Queueing' ? 'Fail' : status) })
    })
    return calls
  }

  it.each([
    ['deletes a task that waits', '3', 'Queueing', ['POST', 'DELETE'], []],
    ['keeps the row of a render that is being stopped', '4', 'Processing', ['POST'], ['4 Processing']],
    ['does not delete a video that was finished since the user was asked', '5', 'Success', ['POST'], ['5 Queueing']],
  ] as const)('%s', async (_, id, status, expected, left) => {
    const waiting = task(id, 'Queueing')
    $tasks.set({ status: 'ready', tasks: [waiting], total: 1 })
    const calls = serverWith(id, status)
    await cancelOpenTask(waiting)
    expect(calls).toEqual(expected)
    expect(shown()).toEqual(left)
  })
})
