import { describe, expect, it } from 'vitest'
import { createHandle } from '../kernel/eventsourcing/handle.ts'
import { chainStart } from '../kernel/eventsourcing/pure/eventHash.ts'
import { createMemoryEventStore } from '../kernel/eventsourcing/testing/memoryEventStore.ts'
import { specification } from '../kernel/eventsourcing/testing/specification.ts'
import type { VideoTaskEvent } from './events.ts'
import { A_FILE, AN_ATTEMPT, anOrder } from './testing/anOrder.ts'
import { type VideoTaskCommand, videoTask } from './videoTask.decider.ts'
import { isEnded } from './videoTask.rules.ts'

const given = specification(videoTask)
const [taskId, userId, at] = ['task', 'user', '2026-01-01T00:00:00.000Z']
const fact = { taskId, at }
const file = A_FILE
const order = anOrder()

const submitted: VideoTaskEvent = { type: 'VideoTaskSubmitted', data: { ...order, at } }
const requested = (lease?: number): VideoTaskEvent => ({
  type: 'VideoRenderRequested',
  data: { ...fact, ...AN_ATTEMPT, ...(lease !== undefined && { lease }) },
})
const downloading: VideoTaskEvent = { type: 'VideoDownloadStarted', data: fact }
const claimed = (lease: number): VideoTaskEvent => ({ type: 'VideoTaskClaimed', data: { ...fact, lease } })
const succeeded: VideoTaskEvent = { type: 'VideoTaskSucceeded', data: { ...fact, userId, file } }
const failed: VideoTaskEvent = {
  type: 'VideoTaskFailed',
  data: { ...fact, userId, code: 'provider_failed', detail: 'why', jobId: null },
}
const deleted: VideoTaskEvent = { type: 'VideoTaskDeleted', data: { ...fact, userId } }
const abandoned: VideoTaskEvent = { type: 'VideoTaskAbandoned', data: fact }

const under = (lease: number | undefined, command: VideoTaskCommand): VideoTaskCommand => ({ ...command, lease })
const succeed: VideoTaskCommand = { type: 'Succeed', file, at }
const fail: VideoTaskCommand = { type: 'Fail', code: 'provider_failed', detail: 'why', at }
const claim: VideoTaskCommand = { type: 'Claim', at }
const request: VideoTaskCommand = { type: 'RequestRender', ...AN_ATTEMPT, at }

describe('the outcome of a task', () => {
  const ends = [
    [succeed, succeeded],
    [fail, failed],
  ] as const

  it('is refused from a worker whose lease another worker has taken over', () => {
    for (const [command] of ends) {
      given(submitted, requested(3)).when(under(2, command)).rejects('lease_lost')
      given(submitted, requested(3), claimed(5)).when(under(4, command)).rejects('lease_lost')
    }
  })

  it('is accepted from the worker that holds the lease, from a newer one, and from one without a lease', () => {
    for (const [command, event] of ends)
      for (const lease of [3, 4, undefined]) given(submitted, requested(3)).when(under(lease, command)).decides(event)
  })

  it('is accepted under any lease while none is known', () => {
    for (const [command, event] of ends) given(submitted, requested()).when(under(1, command)).decides(event)
  })
})

describe('the lease of a task', () => {
  it('is recorded with the request to render, and not named without one', () => {
    given(submitted).when(under(3, request)).decides(requested(3))
    const task = videoTask.evolve(videoTask.initial, submitted)
    const [event] = videoTask.decide(request, task)
    expect(event!.data).toStrictEqual({ ...fact, ...AN_ATTEMPT })
    expect(task).not.toHaveProperty('lease')
  })

  it('is kept by steps that name none', () => {
    given(submitted, requested(3), downloading).when(under(2, succeed)).rejects('lease_lost')
  })

  it('does not hold back the steps before the outcome', () => {
    given(submitted, requested(3))
      .when(under(2, { type: 'StartDownload', at }))
      .decides(downloading)
  })
})

describe('the attempt that requested a render', () => {
  const stateAfter = (...events: readonly VideoTaskEvent[]) => events.reduce(videoTask.evolve, videoTask.initial)

  it('is known while the task is rendered', () => {
    expect(stateAfter(submitted, requested())).toMatchObject({ attempt: 'one' })
  })
})

describe('a worker that takes over a task', () => {
  it('is recorded while the task is in progress', () => {
    given(submitted, requested(3)).when(under(4, claim)).decides(claimed(4))
    given(submitted, requested(3), downloading).when(under(4, claim)).decides(claimed(4))
    given(submitted, requested()).when(under(1, claim)).decides(claimed(1))
  })

  it('is not recorded under the known lease or an older one, or without a lease', () => {
    for (const lease of [3, 2, undefined]) given(submitted, requested(3)).when(under(lease, claim)).decidesNothing()
    given(submitted, requested()).when(under(0, claim)).decidesNothing()
  })

  it('is not recorded before the task is rendered or after it has ended', () => {
    given(submitted).when(under(4, claim)).decidesNothing()
    given(submitted, requested(3), failed).when(under(4, claim)).decidesNothing()
  })
})

describe('a task', () => {
  it('has hash chained events', async () => {
    const store = createMemoryEventStore()
    const context = { commandId: 'c', actor: userId, correlationId: 'c' }
    await createHandle(store)(videoTask, taskId, { type: 'Submit', order, at }, context)
    expect(store.log[0]!.meta.previousHash).toBe(chainStart(`videoTask-${taskId}`))
  })

  it.for([
    ['not submitted', [], false],
    ['waiting', [submitted], false],
    ['rendering', [submitted, requested()], false],
    ['downloading', [submitted, requested(), downloading], false],
    ['failed', [submitted, failed], true],
    ['succeeded', [submitted, requested(), succeeded], true],
    ['deleted', [submitted, failed, deleted], true],
    ['abandoned', [abandoned], true],
  ] as const)('that is $0 has ended: $2', ([, events, hasEnded]) => {
    expect(isEnded(events.reduce<typeof videoTask.initial>(videoTask.evolve, videoTask.initial))).toBe(hasEnded)
  })
})
