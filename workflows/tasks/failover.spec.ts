import { createHash } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createOrigins } from '#backend/kernel/eventsourcing/createOrigins.ts'
import { createHandle, type Handle } from '#backend/kernel/eventsourcing/handle.ts'
import { createMemoryEventStore } from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import type { VideoFile, VideoTaskOrder } from '#backend/tasks/events.ts'
import type { RenderState } from '#backend/tasks/videoProvider.port.ts'
import { videoTask } from '#backend/tasks/videoTask.decider.ts'
import { FULL } from '#backend/testing/fullRun.ts'
import { makeTinyVideo } from '#backend/testing/tinyVideo.ts'
import { type Answer, LOST, LyingProvider, POSTPONED, REFUSED, UNAVAILABLE } from '../testing/lyingProvider.ts'
import { shortDelay } from '../testing/shortDelay.ts'
import { stepDouble } from '../testing/stepDouble.ts'
import { MAX_CONCURRENT_CREATES } from './rendering.ts'
import { createTaskActivities } from './taskActivities.ts'

const context = { signal: new AbortController().signal }
const TASKS = FULL ? 1_000 : 200

let video: string
let first: LyingProvider
let second: LyingProvider
let handle: Handle
let settled: Map<string, string[]>
let activities: ReturnType<typeof createTaskActivities>
let factsOf: (taskId: string) => string[]

beforeAll(async () => {
  video = await makeTinyVideo()
})
beforeEach(() => {
  first = new LyingProvider('first')
  second = new LyingProvider('second')
  settled = new Map()
  const store = createMemoryEventStore()
  handle = createHandle(store)
  factsOf = (taskId) =>
    store.log.filter(({ stream }) => stream === `videoTask-${taskId}`).map(({ type }) => type.replace('Video', ''))
  const settle = (what: string) => async (_: string, taskId: string) =>
    void settled.set(taskId, [...(settled.get(taskId) ?? []), what])
  activities = createTaskActivities({
    handle,
    findOrigin: createOrigins(store),
    providers: new Map([first, second].map((provider) => [provider.name, provider])),
    credits: {
      capture: (userId: string, taskId: string) => stepDouble(() => settle('captured')(userId, taskId)),
      release: settle('released'),
    },
    creditsSpent: async () => {},
    media: { size: async () => 1, localPath: async () => video },
    decrypt: async () => '',
    showProgress: async () => {},
    assertionOf: async () => undefined,
    prepareCopies: async () => {},
    waitForCallback: async () => {},
    clock: () => Date.now(),
    delay: shortDelay,
  } as never)
})

const send = (taskId: string, command: Parameters<typeof videoTask.decide>[0]) =>
  handle(videoTask, taskId, command, { commandId: `${command.type} ${taskId}`, actor: 'system', correlationId: taskId })
const now = () => new Date().toISOString()
const routes = ['first', 'second'].map((provider) => ({ provider, model: `${provider} model` }))
const submit = (taskId: string, more: Partial<VideoTaskOrder> = { routes }) =>
  send(taskId, {
    type: 'Submit',
    order: { taskId, userId: 'ada', firstFrame: null, priority: 4, ...more } as VideoTaskOrder,
    at: now(),
  })

/** Runs a task as its workflow does, and retries activities as the engine does. */
async function run(taskId: string): Promise<void> {
  const input = { taskId, userId: 'ada' }
  const render = async (): ReturnType<typeof activities.render> =>
    activities
      .render(input, context)
      .catch((error: Error) => (error.message === LOST ? render() : Promise.reject(error)))
  const outcome = await render()
  if (outcome.kind === 'finished') await activities.store(input, context)
  if (outcome.kind === 'failed') await activities.fail({ ...input, ...outcome }, context)
  await activities.settleCredits(input, context)
}

describe('a provider that is down', () => {
  it('holds up no task of another', async () => {
    const only = (provider: string) => ({ routes: [{ provider, model: 'model' }] })
    first.wait = 60_000
    const held = Array.from({ length: 2 * MAX_CONCURRENT_CREATES }, (_, n) => `held${n}`)
    for (const taskId of held) await submit(taskId, only('first'))
    await submit('task', only('second'))
    const waiting = held.map(run)
    await run('task')
    expect([first.jobs, second.jobs]).toEqual([[], ['task']])
    first.wait = 0
    await Promise.all(waiting)
    expect(first.jobs.toSorted()).toEqual(held)
  })
})

describe('a job', () => {
  const asked = async () => {
    await submit('task', { routes: [{ provider: 'second', model: 'model' }] })
    await send('task', { type: 'RequestRender', attempt: 'a', provider: 'second', at: now() })
    await send('task', { type: 'AcceptRender', jobId: 'job', at: now() })
  }

  it('is discarded at its provider after its video was recovered', async () => {
    await asked()
    await send('task', { type: 'Fail', code: 'render_timed_out', detail: '', at: now() })
    await send('task', { type: 'Succeed', file: { size: 1 } as VideoFile, at: now() })
    await activities.endRecovery({ taskId: 'task', userId: 'ada' }, context)
    expect([first.discarded, second.discarded]).toEqual([[], ['task']])
  })

  it('is discarded when its owner cancelled the task before the download', async () => {
    await asked()
    await send('task', { type: 'Cancel', at: now() })
    await activities.store({ taskId: 'task', userId: 'ada' }, context)
    expect(second.discarded).toEqual(['task'])
  })
})

describe('a task with two routes', () => {
  it('goes to the next provider when the first postpones it, and says which one took it', async () => {
    first.answerTo = () => POSTPONED
    await submit('task')
    await run('task')
    expect([first.jobs, second.jobs]).toEqual([[], ['task']])
    expect(factsOf('task')).toEqual([
      'TaskSubmitted',
      ...['RenderRequested', 'RenderPostponed', 'RenderRequested', 'RenderAccepted'],
      ...['DownloadStarted', 'TaskSucceeded'],
    ])
    expect(settled.get('task')).toEqual(['captured'])
  })

  it('goes to the next provider while the first is blocked, without asking it', async () => {
    first.wait = 60_000
    await submit('task')
    await run('task')
    expect([first.asked, second.asked]).toEqual([[], ['task']])
  })

  it('comes back to the first provider when the second postpones it too', async () => {
    first.answerTo = (_, call) => (call === 1 ? POSTPONED : 'accepted')
    second.answerTo = () => POSTPONED
    await submit('task')
    await run('task')
    expect([first.asked.length, second.asked.length, first.jobs]).toEqual([2, 1, ['task']])
  })

  it('goes to the next provider when the first refuses for its own reasons, and never back', async () => {
    first.answerTo = () => UNAVAILABLE
    second.answerTo = (_, call) => (call < 4 ? POSTPONED : 'accepted')
    await submit('task')
    await run('task')
    expect([first.asked.length, second.jobs]).toEqual([1, ['task']])
  })

  it('fails when every provider refuses', async () => {
    first.answerTo = second.answerTo = () => UNAVAILABLE
    await submit('task')
    await run('task')
    expect([first.asked.length, second.asked.length]).toEqual([1, 1])
    expect((await handle.read(videoTask, 'task')).state).toMatchObject({ code: 'provider_unavailable' })
    expect(settled.get('task')).toEqual(['released'])
  })

  it('does not look for a provider that accepts refused content', async () => {
    first.answerTo = () => REFUSED
    await submit('task')
    await run('task')
    expect(second.asked).toEqual([])
  })

  it.each(['taken', 'dropped'] as const)('is never asked again after a lost answer (%s)', async (answer) => {
    first.answerTo = () => answer
    await submit('task')
    await run('task')
    expect([first.asked.length, second.asked.length]).toEqual([1, 0])
    expect(settled.get('task')).toEqual(['released'])
  })

  it('stays with an idempotent provider whose first answer was lost', async () => {
    Object.assign(first, { idempotent: true })
    first.answerTo = (_, call) => (call === 1 ? 'taken' : call === 2 ? POSTPONED : 'accepted')
    first.stateOf = () => ({ kind: 'finished' })
    await submit('task')
    await run('task')
    expect(second.asked).toEqual([])
    expect(settled.get('task')).toEqual(['captured'])
  })

  it('fails when none of its providers is configured', async () => {
    await submit('task', { routes: [{ provider: 'gone', model: 'm' }] })
    await run('task')
    expect((await handle.read(videoTask, 'task')).state).toMatchObject({ code: 'provider_unavailable' })
  })
})

describe('many tasks over two lying providers', () => {
  const answers: readonly Answer[] = ['accepted', 'accepted', 'taken', 'dropped', POSTPONED, UNAVAILABLE, REFUSED]
  /** Returns the n-th answer to a task, which looks random and is the same in every run. */
  const lie = (salt: number) => (taskId: string, call: number) =>
    answers[createHash('sha256').update(`${salt} ${taskId} ${call}`).digest()[0]! % answers.length]!

  it('submit none twice and charge none without a delivery', { timeout: 600_000 }, async () => {
    first.answerTo = lie(1)
    second.answerTo = lie(2)
    first.stateOf = (jobId) =>
      jobId.endsWith('3') ? { kind: 'failed', code: 'provider_failed', detail: '' } : { kind: 'finished' }
    const ids = Array.from({ length: TASKS }, (_, n) => String(n))
    for (const id of ids) await submit(id)
    await Promise.all(ids.map(run))
    const jobs = [...first.jobs, ...second.jobs]
    expect(new Set(jobs).size).toBe(jobs.length)
    for (const id of ids) {
      const { state } = await handle.read(videoTask, id)
      expect([id, settled.get(id)]).toEqual([id, [state.status === 'succeeded' ? 'captured' : 'released']])
      // Each call of a provider is its own fact.
      const calls = [...first.asked, ...second.asked].filter((asked) => asked === id).length
      expect(factsOf(id).filter((fact) => fact === 'RenderRequested')).toHaveLength(calls)
    }
    expect(second.jobs.length).toBeGreaterThan(TASKS / 20)
  })
})

describe('a task that is cancelled while it renders', () => {
  const cancelDuringPoll = (provider: LyingProvider, then: RenderState) => {
    provider.stateOf = () => ({ kind: 'rendering', percent: 1 })
    const { state } = provider
    provider.state = async (jobId) => {
      await send('task', { type: 'Cancel', at: now() })
      provider.stateOf = () => then
      return state(jobId)
    }
  }
  const RENDERING = { kind: 'rendering', percent: 2 } as const

  it('is stopped at its provider once, ends as cancelled and costs nothing', async () => {
    cancelDuringPoll(first, RENDERING)
    await submit('task')
    await run('task')
    expect([first.cancelled, second.cancelled]).toEqual([['first task'], []])
    expect((await handle.read(videoTask, 'task')).state).toMatchObject({ status: 'failed', code: 'cancelled' })
    expect(settled.get('task')).toEqual(['released'])
  })

  it('asks the provider again when the call failed', async () => {
    cancelDuringPoll(first, RENDERING)
    const { cancel } = first
    let calls = 0
    first.cancel = async (jobId) => (++calls === 1 ? Promise.reject(new Error(LOST)) : cancel(jobId))
    await submit('task')
    await run('task')
    expect([calls, settled.get('task')]).toEqual([2, ['released']])
  })

  it('is not charged for a video that arrives nevertheless', async () => {
    cancelDuringPoll(first, { kind: 'finished' })
    await submit('task')
    await run('task')
    expect(factsOf('task')).not.toContain('TaskSucceeded')
    expect(settled.get('task')).toEqual(['released'])
  })

  it('is charged when it was delivered before', async () => {
    await submit('task')
    await run('task')
    await expect(send('task', { type: 'Cancel', at: now() })).rejects.toMatchObject({ code: 'cannot_cancel' })
    expect(settled.get('task')).toEqual(['captured'])
  })
})
