import { beforeEach, describe, expect, it } from 'vitest'
import type { CreateAnswer, RenderState } from '#backend/tasks/videoProvider.port.ts'
import type { VideoTaskCommand } from '#backend/tasks/videoTask.decider.ts'
import type { VideoTask } from '#backend/tasks/videoTask.rules.ts'
import { pollJob } from './pollJob.ts'
import { RENDER_LIMIT_MS, type RenderDeps, type Rendering } from './rendering.ts'
import { WAIT_LIMIT_MS } from './taskCommands.ts'

const REQUESTED = Date.UTC(2026, 0, 1)
const AT = '2026-01-01T00:00:00.000Z'
const CALL_MS = 65_000
const DOWN = new Error('the provider is unreachable')
const SHOWN = { kind: 'rendering', percent: 40 } as const
const FINISHED = { kind: 'finished' } as const
const TIMED_OUT = { kind: 'failed', code: 'render_timed_out', detail: 'No video came within 30 minutes.' }
const WAITED = { kind: 'failed', code: 'waited_too_long', detail: 'The engine did not begin within six hours.' }
const LOST = { kind: 'failed', code: 'answer_lost', detail: 'It is unknown whether the provider was reached.' }
const CANCELLED = { kind: 'failed', code: 'cancelled', detail: 'Cancelled by its owner.' }

/** Calls of the provider, waits and shown progress, in their order. */
let calls: unknown[]
/** Sent commands, with whether they may repeat. */
let sent: [VideoTaskCommand, object?][]
let clock: number
/** What the provider says of the job, one by one; the last for ever. */
let states: (RenderState | Error)[]
/** What the log says of the task after a command or when it is read. */
let stored: Pick<VideoTask, 'status'> & { cancelRequestedAt?: string; startedAt?: string | null }
let answer: CreateAnswer
let deps: RenderDeps

/** Throws in a loop that does not end. */
function note(call: unknown): void {
  if (calls.push(call) > 100) throw new Error('This was polled for too long.')
}

beforeEach(() => {
  calls = []
  sent = []
  clock = REQUESTED
  states = [{ kind: 'unknown' }]
  stored = { status: 'rendering' }
  answer = { kind: 'accepted', jobId: 'job' }
  deps = depsOf(false)
})

function depsOf(idempotent: boolean, more: { ownQueue?: true } = {}): RenderDeps {
  const provider = {
    ...more,
    idempotent,
    pollIntervalMs: 7_000,
    async state(jobId: string) {
      note(`state ${jobId}`)
      const state = states.length > 1 ? states.shift()! : states[0]!
      if (state instanceof Error) throw state
      return state
    },
    async create({ taskId, providerModel }: { taskId: string; providerModel: string }) {
      note(`create ${taskId} with ${providerModel}`)
      return answer
    },
    async cancel(jobId: string) {
      note(`cancel ${jobId}`)
      if (states[0] instanceof Error) throw states[0]
    },
  }
  return {
    providers: new Map([['engine', provider]]),
    at: () => AT,
    clock: () => clock,
    delay: async (ms: number) => note(`delay ${ms}`),
    waitForCallback: async (taskId: string, ms: number) => {
      note(`wait ${ms} for ${taskId}`)
      clock += ms
    },
    showProgress: async (taskId: string, progress: object) => note([taskId, progress]),
    async sendCommand(taskId: string, command: VideoTaskCommand, options?: object) {
      expect(taskId).toBe('task')
      sent.push(options ? [command, options] : [command])
      return stored
    },
    readTask: async (taskId: string) => {
      note(`read ${taskId}`)
      return stored
    },
    decrypt: async () => '',
    uncalled: new Map(),
    unanswered: new Set(),
  } as unknown as RenderDeps
}

const poll = (state: Partial<Rendering> = {}, signal = new AbortController().signal) =>
  pollJob(
    deps,
    {
      ...{ status: 'rendering', provider: 'engine', attempt: 'one', jobId: 'job' },
      order: { taskId: 'task', firstFrame: null, routes: [{ provider: 'engine', model: 'v2' }] },
      ...{ submittedAt: AT, requestedAt: AT, startedAt: null },
      ...state,
    } as unknown as Rendering,
    signal,
  )

describe('a job', () => {
  it('is polled until it ends, and its progress is shown', async () => {
    states = [{ kind: 'queued' }, SHOWN, FINISHED]
    expect(await poll()).toEqual(FINISHED)
    const wait = 'wait 7000 for task'
    expect(calls).toEqual(['state job', 'read task', wait, 'state job', ['task', SHOWN], wait, 'state job'])
    expect(sent).toEqual([[{ type: 'StartRender', at: AT }]])
  })

  it('of which the provider reports the cost has it recorded', async () => {
    states = [{ kind: 'finished', costCents: 28 }]
    expect(await poll()).toEqual(FINISHED)
    expect(sent).toEqual([[{ type: 'ReportCost', costCents: 28, at: AT }]])
  })

  it('that failed ends the task', async () => {
    states = [{ kind: 'failed', code: 'content_refused', detail: 'sensitive' }]
    expect(await poll()).toEqual(states[0])
  })

  it('that the provider has lost ends the task, but not at once: a hosted API can find a new job late', async () => {
    deps.unanswered.add('task')
    expect([await poll(), calls]).toEqual([undefined, ['state job', 'delay 5000']])
    clock = REQUESTED + CALL_MS
    expect(await poll()).toEqual({ kind: 'failed', code: 'provider_failed', detail: 'The provider has lost the job.' })
  })

  it('is not asked for by a worker that must stop', async () => {
    const stopped = AbortSignal.abort(new Error('the worker stops'))
    await expect(poll({}, stopped)).rejects.toThrow('the worker stops')
    expect(calls).toEqual([])
  })

  it.each<[string, typeof stored]>([
    ['was erased', { status: 'deleted' }],
    ['was cancelled', { status: 'rendering', cancelRequestedAt: AT }],
  ])('is left alone if its task %s in between', async (_, read) => {
    states = [SHOWN]
    stored = read
    expect(await poll()).toBeUndefined()
    expect(calls).toEqual(['state job'])
  })

  it('of a provider that is not configured any more is an error', async () => {
    await expect(poll({ provider: 'former' })).rejects.toThrow('the video provider former is not configured')
  })
})

describe('the time of a render', () => {
  it('ends while the job renders', async () => {
    states = [SHOWN]
    clock = REQUESTED + RENDER_LIMIT_MS - 1
    expect(await poll()).toEqual(TIMED_OUT)
    expect(calls.filter((call) => call === 'state job')).toHaveLength(2)
  })

  it('of an own engine begins when the job does, after up to six hours in its queue', async () => {
    deps = depsOf(false, { ownQueue: true })
    stored = { status: 'rendering', startedAt: null }
    states = [{ kind: 'queued' }]
    clock = REQUESTED + WAIT_LIMIT_MS - 7_001
    expect(await poll()).toEqual(WAITED)
    expect(clock).toBe(REQUESTED + WAIT_LIMIT_MS + 6_999)
    expect(calls.at(-1)).toBe('cancel job')
    stored = { status: 'rendering', startedAt: new Date(REQUESTED + WAIT_LIMIT_MS).toISOString() }
    states = [SHOWN]
    clock = REQUESTED + WAIT_LIMIT_MS + RENDER_LIMIT_MS - 1
    expect(await poll()).toEqual(TIMED_OUT)
    expect(clock).toBe(REQUESTED + WAIT_LIMIT_MS + RENDER_LIMIT_MS + 6_999)
  })

  it('does not matter to a video that is finished', async () => {
    states = [FINISHED]
    clock = REQUESTED + RENDER_LIMIT_MS
    expect(await poll()).toEqual(FINISHED)
  })

  it('ends while the provider is unreachable', async () => {
    states = [DOWN]
    clock = REQUESTED + RENDER_LIMIT_MS - 1
    await expect(poll()).rejects.toBe(DOWN)
    clock++
    expect(await poll()).toEqual(TIMED_OUT)
  })

  it('ends after six hours in the queue of an engine that cannot be told so', async () => {
    deps = depsOf(false, { ownQueue: true })
    states = [DOWN]
    clock = REQUESTED + WAIT_LIMIT_MS
    expect(await poll()).toEqual(WAITED)
    expect(calls).toEqual(['state job', 'cancel job'])
  })

  it('ends before an idempotent provider is asked for the job again', async () => {
    deps = depsOf(true)
    clock = REQUESTED + RENDER_LIMIT_MS
    expect(await poll()).toEqual(TIMED_OUT)
    expect(calls).toEqual(['state job'])
  })
})

describe('a job that an idempotent provider does not know', () => {
  beforeEach(() => {
    deps = depsOf(true)
  })

  it('is asked for again', async () => {
    expect(await poll()).toBeUndefined()
    expect(await poll({ jobId: null })).toBeUndefined()
    expect(calls).toEqual(['state job', 'create task with v2', 'create task with v2'])
    const accepted = [{ type: 'AcceptRender', jobId: 'job', at: AT }, { repeatable: true }]
    expect(sent).toEqual([accepted, accepted])
  })

  it('stays with its provider, because the earlier call may have created it', async () => {
    answer = { kind: 'postponed', detail: 'busy' }
    expect(await poll({ jobId: null })).toBeUndefined()
    expect(sent).toEqual([[{ type: 'PostponeRender', detail: 'busy', bound: true, at: AT }, { repeatable: true }]])
  })

  it('is not asked for again while it exists', async () => {
    states = [FINISHED]
    expect(await poll()).toEqual(FINISHED)
    expect(calls).toEqual(['state job'])
  })
})

describe('a call without an answer', () => {
  it('is waited for until the longest call is over, and is lost then', async () => {
    clock += CALL_MS - 1
    expect(await poll({ jobId: null })).toBeUndefined()
    expect(calls).toEqual(['delay 1'])
    clock += 1
    expect(await poll({ jobId: null })).toEqual(LOST)
  })

  it('is read again after five seconds at most', async () => {
    expect(await poll({ jobId: null })).toBeUndefined()
    expect(calls).toEqual(['delay 5000'])
  })

  it('is lost at once if this process made it, and once only', async () => {
    deps.unanswered.add('task')
    expect(await poll({ jobId: null })).toEqual(LOST)
    expect(await poll({ jobId: null })).toBeUndefined()
  })

  it('was never made if this process knows so: the task waits for its turn again', async () => {
    deps.uncalled.set('task', 'own')
    expect(await poll({ jobId: null, attempt: 'own' })).toBeUndefined()
    expect(sent).toEqual([
      [{ type: 'PostponeRender', detail: 'The provider was not called.', at: AT }, { repeatable: true }],
    ])
    expect(calls).toEqual([])
  })

  it('of another attempt is waited for, whatever this process did not call', async () => {
    const state = { attempt: 'of another worker' }
    deps.uncalled.set('task', 'own')
    expect(await poll({ jobId: null, ...state })).toBeUndefined()
    deps.uncalled.clear()
    expect(await poll({ jobId: null, ...state })).toBeUndefined()
    expect(sent).toEqual([])
    expect(calls).toEqual(['delay 5000', 'delay 5000'])
  })
})

describe('a cancelled task', () => {
  const cancelled = { cancelRequestedAt: AT } as const

  it('ends when its job has been stopped', async () => {
    expect(await poll(cancelled)).toEqual(CANCELLED)
    expect(calls).toEqual(['cancel job'])
  })

  it('ends after a minute in which its job could not be stopped', async () => {
    deps = depsOf(true, { ownQueue: true })
    states = [DOWN]
    clock += 59_999
    await expect(poll(cancelled)).rejects.toBe(DOWN)
    clock++
    expect(await poll(cancelled)).toEqual(CANCELLED)
  })

  it('without a job ends at once if the provider creates one job for any number of calls', async () => {
    deps = depsOf(true)
    expect(await poll({ ...cancelled, jobId: null })).toEqual(CANCELLED)
    expect(calls).toEqual([])
  })

  it('is not ended while an answer may still name its job', async () => {
    expect(await poll({ ...cancelled, jobId: null })).toBeUndefined()
    expect(calls).toEqual(['delay 5000'])
  })
})
