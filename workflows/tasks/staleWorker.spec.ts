import { beforeEach, describe, expect, it } from 'vitest'
import { createOrigins } from '#backend/kernel/eventsourcing/createOrigins.ts'
import { createHandle } from '#backend/kernel/eventsourcing/handle.ts'
import { createMemoryEventStore } from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import { anOrder } from '#backend/tasks/testing/anOrder.ts'
import type { RenderState, VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { videoTask } from '#backend/tasks/videoTask.decider.ts'
import { shortDelay } from '../testing/shortDelay.ts'
import { stepDouble } from '../testing/stepDouble.ts'
import { createTaskActivities } from './taskActivities.ts'

const input = { taskId: 'task', userId: 'user' }
const order = anOrder()
const context = { signal: new AbortController().signal }
const failure = { ...input, code: 'internal', detail: 'An activity failed each time it was tried.' } as const
const unused = async (): Promise<never> => expect.fail('not expected')

let state: () => Promise<RenderState>
let types: () => string[]
let settled: string[]
let discarded: string[]
let created: number
/** Activities of a worker that holds the lease with this token, or of a worker without a lease. */
let worker: (lease?: number) => ReturnType<typeof createTaskActivities>
let command: (type: 'StartDownload' | 'Erase') => Promise<unknown>

beforeEach(async () => {
  state = async () => ({ kind: 'finished' })
  settled = []
  discarded = []
  created = 0
  const provider: VideoProvider = {
    name: 'double',
    idempotent: true,
    cancels: false,
    pollIntervalMs: 1,
    acquire: async () => 0,
    create: async () => {
      created += 1
      return { kind: 'accepted', jobId: 'job' }
    },
    state: () => state(),
    fetch: unused,
    cancel: async () => 'unsupported',
    discard: async (taskId) => void discarded.push(taskId),
    check: async () => ({ ok: true, detail: '' }),
    close: async () => {},
  }
  const store = createMemoryEventStore()
  const handle = createHandle(store)
  const at = new Date(0).toISOString()
  const send = (sent: Parameters<typeof videoTask.decide>[0]) =>
    handle(videoTask, 'task', sent, { commandId: sent.type, actor: 'system', correlationId: 'task' })
  await send({ type: 'Submit', order, at })
  command = (type) => send({ type, at })
  types = () => store.log.map(({ type }) => type)
  worker = (lease) =>
    createTaskActivities({
      // Processes do not share cached streams.
      handle: createHandle(store),
      lease,
      findOrigin: createOrigins(store),
      credits: {
        capture: () => stepDouble(async () => settled.push('captured')),
        release: async () => void settled.push('released'),
      },
      creditsSpent: async () => {},
      providers: new Map([['demo', provider]]),
      media: { put: unused, size: unused, read: () => expect.fail(), localPath: unused, remove: async () => {} },
      removals: { done: unused, giveUp: unused },
      marker: { markVideo: unused, markPoster: unused },
      assertionOf: async () => undefined,
      prepareCopies: unused,
      decrypt: async () => 'a cat',
      concurrentLimit: async () => 1,
      removeUnusedUploads: async () => {},
      holdsOlderThan: async () => [],
      showProgress: async () => {},
      pictureFile: unused,
      waitForCallback: async () => {},
      signal: async () => {},
      ffmpegPath: undefined,
      temporaryDir: '/nowhere',
      clock: () => 0,
      delay: shortDelay,
    })
})

describe('settling the credits', () => {
  it.for(['waiting', 'rendering', 'downloading'])('of a %s task is refused, and releases nothing', async (status) => {
    if (status !== 'waiting') await worker().render(input, context)
    if (status === 'downloading') await command('StartDownload')
    await expect(worker().settleCredits(input, context)).rejects.toThrow(/not ended/)
    expect(settled).toEqual([])
  })

  it('of a failed task releases them', async () => {
    await worker().fail(failure, context)
    await worker().settleCredits(input, context)
    expect(settled).toEqual(['released'])
  })

  it('of an erased task releases them', async () => {
    await command('Erase')
    await worker().settleCredits(input, context)
    expect(settled).toEqual(['released'])
  })
})

describe('two workers on one task', () => {
  it('call the provider once, even in the same millisecond', async () => {
    await Promise.all([worker().render(input, context), worker().render(input, context)])
    expect(created).toBe(1)
  })
})

describe('a worker that wakes after another one has taken over', () => {
  it('continues a render that the other worker is already downloading', async () => {
    state = async () => {
      await command('StartDownload')
      return { kind: 'rendering', percent: 90 }
    }
    expect(await worker().render(input, context)).toEqual({ kind: 'finished' })
  })

  it('does not treat a task without a slot as ended while it renders', async () => {
    await worker().claimSlot({ ...input, taskId: 'other' }, context)
    await worker().render(input, context)
    expect(await worker().claimSlot(input, context)).toBe('claimed')
  })

  it('can neither fail nor settle the task, and leaves the job at the provider', async () => {
    const [stale, current] = [worker(1), worker(2)]
    await stale.render(input, context)
    expect(await current.render(input, context)).toEqual({ kind: 'finished' })
    await command('StartDownload')
    await expect(stale.fail(failure, context)).rejects.toThrow(/lease/)
    await expect(stale.settleCredits(input, context)).rejects.toThrow(/lease/)
    expect([types().at(-1), settled, discarded]).toEqual(['VideoDownloadStarted', [], []])
    await current.fail(failure, context)
    await current.settleCredits(input, context)
    expect([types().at(-1), settled]).toEqual(['VideoTaskFailed', ['released']])
  })

  it('cannot settle a task that the other worker ended', async () => {
    const [stale, current] = [worker(1), worker(2)]
    await stale.render(input, context)
    await current.render(input, context)
    await current.fail(failure, context)
    await expect(stale.settleCredits(input, context)).rejects.toThrow(/lease/)
    expect(settled).toEqual([])
  })

  it('takes over a task that it knows as waiting, but that the other worker has begun', async () => {
    const current = worker(2)
    // It reads the task.
    await expect(current.settleCredits(input, context)).rejects.toThrow(/not ended/)
    await worker(1).render(input, context)
    expect(await current.render(input, context)).toEqual({ kind: 'finished' })
    expect([types().at(-1), created]).toEqual(['VideoTaskClaimed', 1])
  })

  it('records a takeover once, and none while the same worker continues', async () => {
    await worker(1).render(input, context)
    await worker(1).render(input, context)
    expect(types()).not.toContain('VideoTaskClaimed')
    await worker(2).render(input, context)
    await worker(2).render(input, context)
    expect(types().filter((type) => type === 'VideoTaskClaimed')).toHaveLength(1)
  })
})
