import { beforeEach, describe, expect, it } from 'vitest'
import { StreamBroken } from '#backend/kernel/eventsourcing/pure/applyStored.ts'
import { Rejection } from '#backend/kernel/eventsourcing/pure/decider.ts'
import type { VideoTaskOrder } from '#backend/tasks/events.ts'
import type { CreateAnswer, RenderRequest } from '#backend/tasks/videoProvider.port.ts'
import type { VideoTaskCommand } from '#backend/tasks/videoTask.decider.ts'
import { createJob, requestRender } from './createJob.ts'
import type { RenderDeps, Rendering } from './rendering.ts'

const AT = '2026-11-27T12:00:00.000Z'
const REQUEST = { taskId: 'task' } as RenderRequest
const ACCEPTED = { kind: 'accepted', jobId: 'job' } as const
const DOWN = new Error('the log is unreachable')

/** Sent commands, with whether they may repeat. */
let sent: [VideoTaskCommand, object?][]
/** Called before a command is stored. */
let onCommand: (command: VideoTaskCommand) => void
/** Called for the answer of the provider. */
let answer: () => Promise<CreateAnswer>
let calls: number
let delays: number[]
/** What the log says of the task after a command; by default, that the request is its own. */
let stateAfter: ((command: VideoTaskCommand) => object) | undefined

beforeEach(() => {
  delays = []
  sent = []
  onCommand = () => {}
  answer = async () => ACCEPTED
  calls = 0
  stateAfter = undefined
})

function depsOf({ idempotent = false, providers = ['a'] } = {}) {
  const create = () => {
    calls++
    return answer()
  }
  return {
    providers: new Map(providers.map((name) => [name, { name, idempotent, create }])),
    unanswered: new Set<string>(),
    uncalled: new Map<string, string>(),
    at: () => AT,
    delay: async (ms: number) => void delays.push(ms),
    async sendCommand(_taskId: string, command: VideoTaskCommand, options?: object) {
      sent.push([command, options])
      onCommand(command)
      return stateAfter?.(command) ?? { status: 'rendering', ...command }
    },
  } as unknown as RenderDeps
}

const renderingOf = (state: Partial<Rendering> = {}, ...routes: string[]) =>
  ({
    status: 'rendering',
    provider: 'a',
    order: { routes: ['a', ...routes].map((provider) => ({ provider })) } as unknown as VideoTaskOrder,
    ...state,
  }) as Rendering

const create = (deps: RenderDeps, state = renderingOf(), repeated?: boolean, signal = new AbortController().signal) =>
  createJob(deps, state, REQUEST, repeated === undefined ? { signal } : { signal, repeated })

describe('a request to render', () => {
  const request = (deps: RenderDeps) =>
    requestRender(deps, REQUEST, { provider: 'a', model: 'm' }, new AbortController().signal)

  it('is stored before the provider is called, as one that may repeat', async () => {
    const deps = depsOf()
    deps.uncalled.set('task', 'an earlier attempt')
    answer = async () => {
      expect(sent).toMatchObject([
        [{ type: 'RequestRender', provider: 'a', engineModel: 'm', at: AT }, { repeatable: true }],
      ])
      return ACCEPTED
    }
    expect(await request(deps)).toBeUndefined()
    expect(calls).toBe(1)
    expect(deps.uncalled.size).toBe(0)
  })

  it('calls no provider if the task is rendering for another attempt, or not at all', async () => {
    for (const state of [
      { status: 'rendering', attempt: 'of another worker' },
      { status: 'failed', attempt: undefined },
    ]) {
      stateAfter = () => state
      expect(await request(depsOf())).toBeUndefined()
    }
    stateAfter = (command) => ({ ...command, status: 'downloading' })
    await request(depsOf())
    expect(calls).toBe(0)
  })

  it('calls no provider if it may not be stored, and remembers its attempt', async () => {
    const deps = depsOf()
    onCommand = () => {
      throw DOWN
    }
    await expect(request(deps)).rejects.toBe(DOWN)
    expect(calls).toBe(0)
    const attempt = deps.uncalled.get('task')
    expect(attempt).toMatch(/^[0-9a-f-]{36}$/)
    expect(sent).toMatchObject([[{ type: 'RequestRender', attempt }, {}]])
  })
})

it('a request to render records the name that people see of a model', async () => {
  const deps = depsOf()
  Object.assign(deps.providers.get('a')!, { modelName: async (model: string) => `The ${model}` })
  await requestRender(deps, REQUEST, { provider: 'a', model: 'graph' }, new AbortController().signal)
  expect(sent[0]).toMatchObject([{ type: 'RequestRender', engineModel: 'The graph' }, {}])
})

describe('a call without an answer', () => {
  beforeEach(() => {
    answer = async () => {
      throw new Error('the answer was lost')
    }
  })

  it('is remembered, because it may have created a job', async () => {
    const deps = depsOf()
    await expect(create(deps)).rejects.toThrow('the answer was lost')
    expect([...deps.unanswered]).toEqual(['task'])
    expect(sent).toEqual([])
  })

  it('is forgotten if the provider creates one job for any number of calls', async () => {
    const deps = depsOf({ idempotent: true })
    await expect(create(deps)).rejects.toThrow('the answer was lost')
    expect(deps.unanswered.size).toBe(0)
  })
})

describe('a refusal', () => {
  const refuse = (code: 'content_refused' | 'provider_failed' | 'provider_unavailable') => {
    answer = async () => ({ kind: 'refused', code, detail: 'no' })
    return { kind: 'failed', code, detail: 'no' }
  }
  const postponed = (more: object) => [
    [{ type: 'PostponeRender', detail: 'no', at: AT, ...more }, { repeatable: true }],
  ]
  const deps = () => depsOf({ providers: ['a', 'b'] })

  it('ends the task if it is about the content', async () => {
    const failed = refuse('content_refused')
    expect(await create(deps(), renderingOf({}, 'b'))).toEqual(failed)
    expect(sent).toEqual([])
  })

  it('sends the task to the next provider', async () => {
    refuse('provider_failed')
    expect(await create(deps(), renderingOf({}, 'b'))).toBeUndefined()
    expect(sent).toEqual(postponed({ refused: true }))
  })

  it('ends the task if no other provider is left', async () => {
    const failed = refuse('provider_unavailable')
    expect(await create(deps(), renderingOf())).toEqual(failed)
    expect(await create(deps(), renderingOf({ refusedBy: ['b'] }, 'b'))).toEqual(failed)
    expect(await create(depsOf(), renderingOf({}, 'b'))).toEqual(failed)
    expect(sent).toEqual([])
  })

  it('with a failure of the engine ends the task, and goes to no other provider', async () => {
    answer = async () => ({ kind: 'failed', code: 'provider_failed', detail: 'out of memory' })
    expect(await create(deps(), renderingOf({}, 'b'))).toEqual(await answer())
    expect(sent).toEqual([])
  })

  it('of a repeated call ends the task, because the earlier call may have created a job', async () => {
    const failed = refuse('provider_failed')
    expect(await create(deps(), renderingOf({}, 'b'), true)).toEqual(failed)
    expect(sent).toEqual([])
  })

  it('for now lets the task wait, after a repeated call for the same provider', async () => {
    answer = async () => ({ kind: 'postponed', detail: 'no' })
    expect(await create(deps(), renderingOf({}, 'b'))).toBeUndefined()
    expect(await create(deps(), renderingOf({}, 'b'), true)).toBeUndefined()
    expect(sent).toEqual([...postponed({}), ...postponed({ bound: true })])
  })
})

describe('the record of an answer', () => {
  /** Refuses the first commands. */
  const refuseFirst = (times: number, error: Error = DOWN) => {
    onCommand = () => {
      if (sent.length <= times) throw error
    }
  }
  const accepted = [{ type: 'AcceptRender', jobId: 'job', at: AT }, { repeatable: true }]

  it('is repeated until the log is back, up to five seconds later', async () => {
    refuseFirst(8)
    expect(await create(depsOf())).toBeUndefined()
    expect(sent).toEqual(Array.from({ length: 9 }, () => accepted))
    expect(delays).toEqual([200, 400, 800, 1600, 3200, 5000, 5000, 5000])
  })

  it('is tried seven times by a worker that must stop', async () => {
    refuseFirst(6)
    expect(await create(depsOf(), renderingOf(), false, AbortSignal.abort())).toBeUndefined()
    sent = []
    refuseFirst(7)
    await expect(create(depsOf(), renderingOf(), false, AbortSignal.abort())).rejects.toBe(DOWN)
    expect(sent).toHaveLength(7)
  })

  it.each([
    ['is rejected', new Rejection('not_found', 'The task is gone.')],
    ['cannot be read', new StreamBroken('its hash differs')],
  ])('is not repeated if the task %s', async (_, error) => {
    refuseFirst(1, error)
    await expect(create(depsOf())).rejects.toBe(error)
    expect(sent).toHaveLength(1)
  })
})
