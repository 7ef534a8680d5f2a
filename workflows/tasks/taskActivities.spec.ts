import { beforeEach, describe, expect, it } from 'vitest'
import { createHandle } from '#backend/kernel/eventsourcing/handle.ts'
import { StreamBroken } from '#backend/kernel/eventsourcing/pure/applyStored.ts'
import { createMemoryEventStore } from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import { anOrder } from '#backend/tasks/testing/anOrder.ts'
import { type RenderState, UndeliverableVideo, type VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { videoTask } from '#backend/tasks/videoTask.decider.ts'
import { activityDeps, providerDouble, unreachable } from '../testing/activityDeps.ts'
import { RENDER_LIMIT_MS } from './rendering.ts'
import { createTaskActivities } from './taskActivities.ts'
import { createTaskCommands } from './taskCommands.ts'
import { taskPolicies } from './taskPolicies.ts'

const input = { taskId: 'task', userId: 'user' }
const order = anOrder()
const at = '2026-01-01T00:00:00.000Z'
const context = { signal: new AbortController().signal }
let clock: number
let provider: VideoProvider
let states: RenderState[]
let claimSlot: (taskId: string) => Promise<unknown>
let release: (taskId: string) => Promise<unknown>
let submit: (taskId: string) => Promise<unknown>
let eventsOf: (taskId: string) => string[]
let render: () => Promise<unknown>
let types: () => string[]
let deps: Parameters<typeof createTaskActivities>[0]
beforeEach(async () => {
  clock = Date.UTC(2026, 0, 1)
  states = []
  provider = providerDouble(() => states.shift() ?? { kind: 'finished' })
  const store = createMemoryEventStore()
  const handle = createHandle(store)
  deps = activityDeps({ handle, store, provider, clock: () => clock })
  const activities = createTaskActivities(deps)
  submit = (taskId) => {
    const command = { type: 'Submit', order: { ...order, taskId }, at: new Date(clock).toISOString() } as const
    return handle(videoTask, taskId, command, { commandId: taskId, actor: 'system', correlationId: taskId })
  }
  await submit('task')
  claimSlot = (taskId) => activities.claimSlot({ ...input, taskId }, context)
  release = (taskId) => activities.releaseSlot({ ...input, taskId }, context)
  eventsOf = (taskId) => store.log.filter(({ stream }) => stream === `videoTask-${taskId}`).map(({ type }) => type)
  render = () => activities.render(input, context)
  types = () => store.log.map(({ type }) => type)
})

const timedOut = { kind: 'failed', code: 'render_timed_out', detail: 'No video came within 30 minutes.' }

describe('claiming a slot', () => {
  it('records no VideoTaskQueued when the lane has room', async () => {
    expect(await claimSlot('task')).toBe('claimed')
    expect(eventsOf('task')).toEqual(['VideoTaskSubmitted'])
  })

  it('records exactly one VideoTaskQueued while the lane is full, after any number of attempts', async () => {
    await submit('second')
    await claimSlot('task')
    for (let attempt = 1; attempt <= 3; attempt++) expect(await claimSlot('second')).toBe('waiting')
    expect(eventsOf('second')).toEqual(['VideoTaskSubmitted', 'VideoTaskQueued'])
    await release('task')
    expect(await claimSlot('second')).toBe('claimed')
    expect(eventsOf('second')).toEqual(['VideoTaskSubmitted', 'VideoTaskQueued'])
  })

  it('returns over for a task that has waited six hours', async () => {
    await submit('second')
    await claimSlot('task')
    await claimSlot('second')
    clock += 6 * 3600_000
    expect(await claimSlot('second')).toBe('over')
    expect(eventsOf('second').at(-1)).toBe('VideoTaskFailed')
  })
})

describe('reading a task', () => {
  it('appends nothing in any state of the task', async () => {
    const { readTask } = createTaskCommands(deps)
    expect(await readTask('unknown')).toEqual({ status: 'none' })
    expect(await readTask('task')).toMatchObject({ status: 'waiting', queued: false })
    await render()
    const before = types()
    expect(await readTask('task')).toMatchObject({ status: 'rendering' })
    expect(types()).toEqual(before)
    expect(eventsOf('unknown')).toEqual([])
  })
})

describe('settling credits', () => {
  it.each([
    ['cancelled', [{ type: 'Delete', at }]],
    [
      'not delivered',
      [
        { type: 'Fail', code: 'provider_failed', detail: 'why', at },
        { type: 'Delete', at },
      ],
    ],
  ] as const)(
    'releases those of a deleted task as %s, if the process crashed before it did',
    async (reason, commands) => {
      const reasons: string[] = []
      const release = async (_user: string, _task: string, why: string) => void reasons.push(why)
      const { settleCredits } = createTaskActivities({ ...deps, credits: { capture: unreachable, release } as never })
      deps.media.remove = async () => {}
      for (const command of commands)
        await deps.handle(videoTask, 'task', command, { commandId: command.type, actor: 'user', correlationId: 'c' })
      await settleCredits(input, context)
      expect(reasons).toEqual([reason])
    },
  )
})

describe('rendering', () => {
  it('appends the request before the call and the answer after it', async () => {
    let known: string[] = []
    provider.create = async () => {
      known = types()
      return { kind: 'accepted', jobId: 'job' }
    }
    states = [{ kind: 'queued' }, { kind: 'rendering', percent: undefined }]
    expect(await render()).toEqual({ kind: 'finished' })
    const before = ['VideoTaskSubmitted', 'VideoRenderRequested']
    expect([known, types()]).toEqual([before, [...before, 'VideoRenderAccepted', 'VideoRenderStarted']])
  })

  it('resumes the existing job after the provider was unreachable', async () => {
    let created = 0
    provider.create = async () => ({ kind: 'accepted', jobId: `job${++created}` })
    const { state } = provider
    provider.state = unreachable
    await expect(render()).rejects.toThrow('unreachable')
    provider.state = state
    clock += 1_000
    expect([await render(), created]).toEqual([{ kind: 'finished' }, 1])
  })

  it('times out after 30 minutes while the provider is unreachable', async () => {
    provider.state = unreachable
    await expect(render()).rejects.toThrow('unreachable')
    clock += RENDER_LIMIT_MS - 1
    await expect(render()).rejects.toThrow('unreachable')
    clock += 1
    expect(await render()).toEqual(timedOut)
  })

  it('times out after 30 minutes when the provider was never reached', async () => {
    provider.create = unreachable
    await expect(render()).rejects.toThrow('unreachable')
    clock += RENDER_LIMIT_MS
    expect(await render()).toEqual(timedOut)
  })

  it('keeps a postponed task waiting and retries it', async () => {
    provider = Object.assign(provider, { idempotent: false })
    const answers = [
      { kind: 'postponed', detail: 'busy' },
      { kind: 'accepted', jobId: 'job' },
    ] as const
    let asked = 0
    provider.create = async () => answers[asked++]!
    expect(await render()).toEqual({ kind: 'finished' })
    expect(types().slice(1)).toEqual([
      'VideoRenderRequested',
      'VideoRenderPostponed',
      'VideoRenderRequested',
      'VideoRenderAccepted',
    ])
  })

  it('calls a non-idempotent provider once and fails with answer_lost when the outcome is unknown', async () => {
    provider = Object.assign(provider, { idempotent: false })
    let asked = 0
    provider.create = async () => {
      asked++
      return unreachable()
    }
    await expect(render()).rejects.toThrow('unreachable')
    clock += 1_000
    expect([await render(), asked]).toMatchObject([{ kind: 'failed', code: 'answer_lost' }, 1])
  })

  it('waits for the longest call of another process before it reports answer_lost', async () => {
    provider = Object.assign(provider, { idempotent: false })
    provider.create = unreachable
    await expect(render()).rejects.toThrow('unreachable')
    const elsewhere = createTaskActivities(deps)
    let isOver = false
    const rendering = elsewhere.render(input, context).finally(() => {
      isOver = true
    })
    for (let n = 0; n < 50; n++) await new Promise((resolve) => setImmediate(resolve))
    expect(isOver).toBe(false)
    clock += 66_000
    expect(await rendering).toMatchObject({ code: 'answer_lost' })
  })

  it('fails a task that waited six hours for the rate limit', async () => {
    provider.acquire = async () => {
      clock += 3600_000
      return 1
    }
    expect(await render()).toEqual({ kind: 'over' })
    expect(types().at(-1)).toBe('VideoTaskFailed')
  })

  it('accepts a job that is found finished after the deadline', async () => {
    states = [{ kind: 'rendering', percent: 1 }]
    const look = provider.state
    provider.state = async (jobId, signal) => {
      const answer = await look(jobId, signal)
      if (answer.kind === 'finished') clock += RENDER_LIMIT_MS
      return answer
    }
    expect(await render()).toEqual({ kind: 'finished' })
  })

  it('is retried for at least 30 minutes', () => {
    const { attempts, firstRetryMs, maxRetryMs } = taskPolicies.render
    let waited = 0
    for (let n = 0; n < attempts - 1 && waited < RENDER_LIMIT_MS; n++)
      waited += Math.min(firstRetryMs * 2 ** n, maxRetryMs)
    expect(waited).toBeGreaterThanOrEqual(RENDER_LIMIT_MS)
  })
})

describe('a download', () => {
  const store = () => createTaskActivities(deps).store(input, context)
  const ending = async () => {
    const { readTask } = createTaskCommands(deps)
    return readTask('task')
  }
  beforeEach(async () => {
    deps.media.size = async () => undefined
    await render()
  })

  it('ends the task if its video can never be downloaded', async () => {
    provider.fetch = async () => {
      throw new UndeliverableVideo('the job is gone')
    }
    await store()
    expect(await ending()).toMatchObject({ status: 'failed', code: 'provider_failed', jobId: null })
  })

  it('that fails is repeated for an hour, and then left to the recovery', async () => {
    const discarded: string[] = []
    provider.discard = async (taskId) => void discarded.push(taskId)
    await expect(store()).rejects.toThrow('unreachable')
    clock += 3_599_999
    await expect(store()).rejects.toThrow('unreachable')
    clock++
    await store()
    expect(await ending()).toMatchObject({ status: 'failed', code: 'render_timed_out', jobId: 'job' })
    expect(discarded).toEqual([])
  })
})

it('a deleted video leaves its engine, which may have been away when it was stored', async () => {
  const removed: string[] = []
  const { removeMedia } = createTaskActivities({
    ...deps,
    media: { ...deps.media, remove: async () => {} },
    removals: { ...deps.removals, done: async (taskId) => void removed.push(taskId) },
    providers: new Map([['demo', { ...provider, discard: async (taskId) => void removed.push(`engine: ${taskId}`) }]]),
  })
  await deps.handle(videoTask, 'task', { type: 'Delete', at }, { commandId: 'd', actor: 'system', correlationId: 't' })
  await removeMedia({ taskId: 'task' }, context)
  expect(removed).toEqual(['engine: task', 'task'])
})

it('a failure is told to the operator with its engine and the sentence', async () => {
  const told: object[] = []
  const act = createTaskActivities({ ...deps, onFailed: (failure) => void told.push(failure) })
  states = [{ kind: 'failed', code: 'provider_failed', detail: 'Node 3 (KSampler): Allocation on device' }]
  await claimSlot('task')
  const outcome = await act.render(input, context)
  if (outcome.kind === 'failed') await act.fail({ ...input, ...outcome }, context)
  const detail = 'Node 3 (KSampler): Allocation on device'
  expect(told).toMatchObject([{ taskId: 'task', engine: 'demo', code: 'engine_out_of_memory', detail }])
})

describe('sweeping holds', () => {
  it('releases the holds of other accounts when one account is quarantined', async () => {
    const released: string[] = []
    const holds = ['broken', 'sound'].map((userId) => ({ taskId: `task of ${userId}`, userId }))
    const sweep = createTaskActivities({
      ...deps,
      holdsOlderThan: async () => holds,
      credits: {
        ...deps.credits,
        release: async (userId) => {
          if (userId === 'broken') throw new StreamBroken('creditAccount-broken')
          released.push(userId)
        },
      },
    })
    await sweep.sweepHolds({}, context)
    expect(released).toEqual(['sound'])
  })
})
