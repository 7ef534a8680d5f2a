import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createOrigins } from '#backend/kernel/eventsourcing/createOrigins.ts'
import { createHandle, type Handle } from '#backend/kernel/eventsourcing/handle.ts'
import { createMemoryEventStore } from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import { handleProviderCallback } from '#backend/tasks/providerCallbacks.ts'
import { anOrder } from '#backend/tasks/testing/anOrder.ts'
import type { CreateAnswer, VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { videoTask } from '#backend/tasks/videoTask.decider.ts'
import { makeTinyVideo } from '#backend/testing/tinyVideo.ts'
import { shortDelay } from '../testing/shortDelay.ts'
import { MAX_CONCURRENT_CREATES } from './rendering.ts'
import { createTaskActivities } from './taskActivities.ts'
import type { ActivityDeps } from './taskCommands.ts'

const AFTER_THE_LONGEST_CALL_MS = 66_000
const context = { signal: new AbortController().signal }
const ids = Array.from({ length: MAX_CONCURRENT_CREATES }, (_, n) => `task${n}`)
const inputOf = (taskId: string) => ({ taskId, userId: `user of ${taskId}` })
const lost = { kind: 'failed', code: 'answer_lost' }

let video: string
let clock: number
/** Ids of the jobs that the provider has created, by task. */
let jobs: Map<string, string>
/** Called when the provider has created a job. Its result is the answer. */
let answer: (jobId: string) => Promise<CreateAnswer>
/** State of every job. */
let made: 'finished' | 'rendering'
let handle: Handle
let findOrigin: ActivityDeps['findOrigin']
let typesOf: (taskId: string) => string[]
/** Tasks of which the second provider has deleted what it kept. */
let discarded: string[]
/** Error of the first provider. */
let discardFault: Error | undefined

beforeAll(async () => {
  video = await makeTinyVideo()
})
beforeEach(async () => {
  clock = Date.UTC(2026, 0, 1)
  jobs = new Map()
  made = 'finished'
  discarded = []
  discardFault = undefined
  const store = createMemoryEventStore()
  handle = createHandle(store)
  findOrigin = createOrigins(store)
  typesOf = (taskId) =>
    store.log.filter(({ stream }) => stream === `videoTask-${taskId}`).map(({ type }) => type.replace('Video', ''))
  for (const taskId of ids) {
    const order = anOrder(inputOf(taskId))
    const submit = { type: 'Submit', order, at: new Date(clock).toISOString() } as const
    await handle(videoTask, taskId, submit, { commandId: taskId, actor: 'system', correlationId: taskId })
  }
})

/** Creates the activities of a worker process. */
function worker(log: Handle = handle, media: object = { size: async () => 1, localPath: async () => video }) {
  const provider: VideoProvider = {
    name: 'double',
    idempotent: false,
    cancels: false,
    pollIntervalMs: 1,
    acquire: async () => 0,
    async create({ taskId }) {
      const jobId = `job of ${taskId}`
      jobs.set(taskId, jobId)
      return answer(jobId)
    },
    async state(jobId) {
      if (![...jobs.values()].includes(jobId)) return { kind: 'unknown' }
      return made === 'finished' ? { kind: made } : { kind: made, percent: undefined }
    },
    fetch: async () => {},
    cancel: async () => 'unsupported',
    discard: async () => {
      if (discardFault) throw discardFault
    },
    check: async () => ({ ok: true, detail: '' }),
    close: async () => {},
  }
  const second = { ...provider, discard: async (taskId: string) => void discarded.push(taskId) }
  const none = async () => {}
  const unused = {
    decrypt: async () => '',
    showProgress: none,
    waitForCallback: none,
    prepareCopies: none,
    assertionOf: async () => undefined,
  }
  return createTaskActivities({
    handle: log,
    findOrigin,
    providers: new Map([
      ['demo', provider],
      ['second', second],
    ]),
    media,
    clock: () => clock,
    delay: shortDelay,
    ...unused,
  } as never)
}

/** A log that refuses every command of a type while `isDown`. */
const failing = (type: string, isDown: () => boolean): Handle =>
  Object.assign(
    (async (decider: never, id: never, command: { type: string }, rest: never) => {
      if (command.type === type && isDown()) throw new Error('the log is unreachable')
      return handle(decider, id, command as never, rest)
    }) as unknown as Handle,
    { read: handle.read, peek: handle.peek, step: handle.step },
  )

const callBack = (taskId: string) =>
  handleProviderCallback(
    { handle, findOrigin, pool: { query: async () => {} } as never, clock: () => clock },
    { taskId, provider: 'demo', jobId: jobs.get(taskId) },
  )

/** Lets another worker take over a task whose answer is lost. */
async function giveUp(taskId: string): Promise<void> {
  const { render, fail } = worker()
  expect(await render(inputOf(taskId), context)).toMatchObject(lost)
  await fail({ ...inputOf(taskId), code: 'answer_lost', detail: 'lost' }, context)
}

/** Lets the provider call back about a job whose answer was given up. */
async function findLate(taskId: string): Promise<void> {
  answer = () => new Promise(() => {})
  void worker().render(inputOf(taskId), context)
  await expect.poll(() => jobs.size).toBe(1)
  clock += AFTER_THE_LONGEST_CALL_MS
  await giveUp(taskId)
  await callBack(taskId)
}

describe('a worker that is killed with its maximum of calls in flight', () => {
  it('loses no video: the callbacks name every job, before and after the answer is given up', async () => {
    answer = () => new Promise(() => {})
    const killed = worker()
    for (const taskId of ids) void killed.render(inputOf(taskId), context)
    await expect.poll(() => jobs.size).toBe(MAX_CONCURRENT_CREATES)
    const [early, ...late] = ids as [string, ...string[]]
    await callBack(early)
    expect(await worker().render(inputOf(early), context)).toEqual({ kind: 'finished' })
    clock += AFTER_THE_LONGEST_CALL_MS
    for (const taskId of late) {
      await giveUp(taskId)
      await callBack(taskId)
      expect(await worker().recover(inputOf(taskId), context)).toBe('over')
      expect(typesOf(taskId).slice(1)).toEqual(['RenderRequested', 'TaskFailed', 'RenderFound', 'TaskRecovered'])
    }
  })
})

describe('an answer that cannot be recorded', () => {
  it('is recorded when the log is back, however long that takes', async () => {
    let left = 20
    answer = async (jobId) => ({ kind: 'accepted', jobId })
    const { render } = worker(failing('AcceptRender', () => left-- > 0))
    expect(await render(inputOf('task0'), context)).toEqual({ kind: 'finished' })
    expect(typesOf('task0').slice(1)).toEqual(['RenderRequested', 'RenderAccepted'])
  })

  it('finds the video if another worker has given it up in the meantime', async () => {
    let isDown = true
    answer = async (jobId) => ({ kind: 'accepted', jobId })
    const rendering = worker(failing('AcceptRender', () => isDown)).render(inputOf('task0'), context)
    await expect.poll(() => jobs.size).toBe(1)
    clock += AFTER_THE_LONGEST_CALL_MS
    await giveUp('task0')
    isDown = false
    expect(await rendering).toEqual({ kind: 'over' })
    expect(await worker().recover(inputOf('task0'), context)).toBe('over')
    expect(typesOf('task0').slice(1)).toEqual(['RenderRequested', 'TaskFailed', 'RenderFound', 'TaskRecovered'])
  })

  it('is given up after a few attempts by a worker that must stop', async () => {
    answer = async (jobId) => ({ kind: 'accepted', jobId })
    const stop = new AbortController()
    const { render } = worker(failing('AcceptRender', () => true))
    const rendering = render(inputOf('task0'), stop)
    await expect.poll(() => jobs.size).toBe(1)
    stop.abort()
    await expect(rendering).rejects.toThrow('the log is unreachable')
  })
})

describe('a request that was stored although its connection was lost', () => {
  /** A log that stores the first request, and then fails. */
  const losing = (): Handle => {
    let isDown = true
    const lossy = async (decider: never, id: never, command: { type: string }, rest: never) => {
      const handled = await handle(decider, id, command as never, rest)
      if (command.type !== 'RequestRender' || !isDown) return handled
      isDown = false
      throw new Error('the log is unreachable')
    }
    return Object.assign(lossy as unknown as Handle, { read: handle.read, peek: handle.peek, step: handle.step })
  }
  beforeEach(() => {
    answer = async (jobId) => ({ kind: 'accepted', jobId })
  })

  it('is made again by its worker, which has not called the provider', async () => {
    const { render } = worker(losing())
    await expect(render(inputOf('task0'), context)).rejects.toThrow('the log is unreachable')
    expect(jobs.size).toBe(0)
    expect(await render(inputOf('task0'), context)).toEqual({ kind: 'finished' })
    expect(typesOf('task0').slice(1)).toEqual([
      'RenderRequested',
      'RenderPostponed',
      'RenderRequested',
      'RenderAccepted',
    ])
  })

  it('counts as lost to another worker, which does not know whether the provider was called', async () => {
    await expect(worker(losing()).render(inputOf('task0'), context)).rejects.toThrow('the log is unreachable')
    clock += AFTER_THE_LONGEST_CALL_MS
    await giveUp('task0')
    expect(jobs.size).toBe(0)
  })
})

describe('a recovery', () => {
  it('ends a day after the failure, however often the process was restarted', async () => {
    made = 'rendering'
    await findLate('task0')
    clock += 24 * 3_600_000 - 1
    expect(await worker().recover(inputOf('task0'), context)).toBe('pending')
    clock += 1
    expect(await worker().recover(inputOf('task0'), context)).toBe('over')
  })

  it('ends without a video if the file is not playable', async () => {
    await findLate('task0')
    const media = { size: async () => 1, localPath: async () => import.meta.filename }
    expect(await worker(handle, media).recover(inputOf('task0'), context)).toBe('over')
    expect(typesOf('task0').at(-1)).toBe('RenderFound')
  })

  it('removes the file of a task that its owner deletes during the download, also at a provider after one that fails', async () => {
    await findLate('task0')
    const removed: string[] = []
    const media = {
      size: async () => 1,
      async localPath() {
        const command = { type: 'Delete', at: new Date(clock).toISOString() } as const
        await handle(videoTask, 'task0', command, { commandId: 'delete', actor: 'user', correlationId: 'c' })
        return video
      },
      remove: async (key: string) => void removed.push(key),
    }
    const { recover, endRecovery } = worker(handle, media)
    expect(await recover(inputOf('task0'), context)).toBe('over')
    discardFault = new Error('read-only file system')
    await expect(endRecovery(inputOf('task0'), context)).rejects.toThrow('read-only')
    expect(typesOf('task0').slice(-2)).toEqual(['TaskDeleted', 'RecoveryEnded'])
    expect(removed).toContain('videos/task0.mp4')
    // The log does not say any more which provider has made the video.
    expect(discarded).toEqual(['task0'])
  })
})
