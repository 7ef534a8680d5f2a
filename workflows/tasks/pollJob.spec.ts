import { beforeEach, describe, expect, it } from 'vitest'
import type { RenderState } from '#backend/tasks/videoProvider.port.ts'
import { pollJob } from './pollJob.ts'
import { RENDER_LIMIT_MS, type RenderDeps, type Rendering } from './rendering.ts'

const REQUESTED = Date.UTC(2026, 0, 1)
const CALL_MS = 65_000

/** Calls of the provider. */
let calls: string[]
let clock: number
let delays: number[]
beforeEach(() => {
  calls = []
  clock = REQUESTED
  delays = []
})

const state = (jobId: string | null) =>
  ({
    status: 'rendering',
    order: { taskId: 'task', firstFrame: null },
    jobId,
    requestedAt: new Date(REQUESTED).toISOString(),
  }) as Rendering

function depsOf({ idempotent = false } = {}) {
  const provider = {
    idempotent,
    state: async (jobId: string): Promise<RenderState> => {
      calls.push(`state ${jobId}`)
      return { kind: 'unknown' }
    },
    create: async () => void calls.push('create'),
  }
  return {
    providers: new Map([['demo', provider]]),
    clock: () => clock,
    delay: async (ms: number) => void delays.push(ms),
    decrypt: async () => '',
    uncalled: new Map(),
    unanswered: new Set(),
  } as unknown as RenderDeps
}

describe('a render whose call has not been answered', () => {
  const poll = () => pollJob(depsOf(), state(null), new AbortController().signal)

  it('waits until the longest call is over, and is lost then', async () => {
    clock += CALL_MS - 1
    expect(await poll()).toBeUndefined()
    expect(delays).toEqual([1])
    clock += 1
    expect(await poll()).toMatchObject({ kind: 'failed', code: 'answer_lost' })
  })

  it('is read again after five seconds at most', async () => {
    expect(await poll()).toBeUndefined()
    expect(delays).toEqual([5_000])
  })
})

it('an idempotent provider is not asked for a job again when the time of the render is over', async () => {
  clock += RENDER_LIMIT_MS
  const poll = pollJob(depsOf({ idempotent: true }), state('job'), new AbortController().signal)
  expect(await poll).toMatchObject({ kind: 'failed', code: 'render_timed_out' })
  expect(calls).toEqual(['state job'])
})

it('a worker that must stop does not call the provider', async () => {
  const stopped = AbortSignal.abort(new Error('the worker stops'))
  await expect(pollJob(depsOf(), state('job'), stopped)).rejects.toThrow('the worker stops')
  expect(calls).toEqual([])
})
