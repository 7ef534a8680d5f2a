import { beforeEach, describe, expect, it } from 'vitest'
import { createCredits } from '#backend/credits/credits.ts'
import { createOrigins } from '#backend/kernel/eventsourcing/createOrigins.ts'
import { createHandle, type Handle } from '#backend/kernel/eventsourcing/handle.ts'
import { StreamBroken } from '#backend/kernel/eventsourcing/pure/applyStored.ts'
import { createMemoryEventStore } from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import type { VideoTaskOrder } from '#backend/tasks/events.ts'
import { videoTask } from '#backend/tasks/videoTask.decider.ts'
import { makeTinyVideo } from '#backend/testing/tinyVideo.ts'
import { generateVideo } from './generateVideo.workflow.ts'
import { createSettleIfEnded } from './settleIfEnded.ts'
import { createTaskActivities } from './taskActivities.ts'

const input = { taskId: 'task', userId: 'ada' }
const context = { signal: new AbortController().signal }
const at = new Date(0).toISOString()

let store: ReturnType<typeof createMemoryEventStore>
let handle: Handle
let deps: Parameters<typeof createTaskActivities>[0]
let factsOf: (stream: string) => string[]
let activities: ReturnType<typeof createTaskActivities>
/** Called while the file of the video is stored. */
let whileStoring: () => Promise<unknown>

const send = (command: Parameters<typeof videoTask.decide>[0]) =>
  handle(videoTask, 'task', command, { commandId: command.type, actor: 'system', correlationId: 'task' })

beforeEach(async () => {
  store = createMemoryEventStore()
  handle = createHandle(store)
  factsOf = (stream) => store.log.filter((event) => event.stream === stream).map(({ type }) => type)
  whileStoring = async () => {}
  const provider = {
    ...{ name: 'demo', idempotent: true, pollIntervalMs: 1, acquire: async () => 0, discard: async () => {} },
    ...{ create: async () => ({ kind: 'accepted', jobId: 'job' }), state: async () => ({ kind: 'finished' }) },
  }
  const video = await makeTinyVideo()
  const size = async () => {
    await whileStoring()
    return 1
  }
  const credits = createCredits(handle, () => 0)
  const nothing = async () => {}
  deps = {
    ...{ handle, credits, findOrigin: createOrigins(store), providers: new Map([['demo', provider]]) },
    ...{ media: { size, localPath: async () => video }, decrypt: async () => '', clock: () => 0 },
    ...{
      concurrentLimit: async () => 1,
      creditsSpent: nothing,
      signal: nothing,
      showProgress: nothing,
      assertionOf: async () => undefined,
      prepareCopies: nothing,
    },
  } as never
  activities = createTaskActivities(deps)
  await credits.grantFreeCredits('ada', 60)
  const holding = { commandId: 'hold', actor: 'user:ada', correlationId: 'task' }
  await credits.hold({ ...input, amount: 30, openLimit: 2 }, holding).send()
  const routes = [{ provider: 'demo', model: 'm' }]
  await send({
    type: 'Submit',
    order: { ...input, firstFrame: null, priority: 4, routes } as never as VideoTaskOrder,
    at,
  })
  await activities.claimSlot(input, context)
  await activities.render(input, context)
})

it('captures the credits and releases the slot in the append that delivers a video', async () => {
  expect(await activities.store(input, context)).toBe('settled')
  expect(factsOf('creditAccount-ada')).toEqual(['CreditLotGranted', 'CreditsHeld', 'CreditsCaptured'])
  expect(factsOf('renderLane-ada').at(-1)).toBe('RenderSlotReleased')
})

it('captures nothing for a video whose task failed while its file was stored', async () => {
  whileStoring = () => send({ type: 'Fail', code: 'render_timed_out', detail: '', at })
  expect(await activities.store(input, context)).toBeUndefined()
  expect(factsOf('videoTask-task').at(-1)).toBe('VideoTaskRecovered')
  expect(factsOf('creditAccount-ada')).toEqual(['CreditLotGranted', 'CreditsHeld'])
  await activities.settleCredits(input, context)
  expect(factsOf('creditAccount-ada').at(-1)).toBe('CreditsReleased')
})

describe('a run of a task that the log does not contain', () => {
  const lost = { taskId: 'lost', userId: 'eve' }

  it('ends without a video and frees the slot', async () => {
    const bound = Object.entries(activities).map(([name, act]) => [name, (input: never) => act(input, context)])
    await generateVideo.run({ activities: Object.fromEntries(bound) } as never, lost)
    expect(factsOf('videoTask-lost')).toEqual(['VideoTaskAbandoned'])
    expect(factsOf('renderLane-eve')).toEqual(['RenderSlotAsked', 'RenderSlotClaimed', 'RenderSlotReleased'])
  })
})

it('abandons no task that a lagging read misses', async () => {
  const { readStream } = store
  store.readStream = () => {
    store.readStream = readStream
    return readStream('a stream without events')
  }
  const { settleCredits } = createTaskActivities({ ...deps, handle: createHandle(store) })
  await expect(settleCredits(input, context)).rejects.toThrow('the task has not ended')
  expect(factsOf('videoTask-task')).not.toContain('VideoTaskAbandoned')
})

describe('settling a task that has ended', () => {
  const settling = (error: Error) => {
    const handle = { peek: async () => ({ state: { status: 'succeeded' } }) } as unknown as Handle
    const settleCredits = async () => Promise.reject(error)
    return createSettleIfEnded(handle, { settleCredits, releaseSlot: async () => {} })({
      taskId: 'task',
      userId: 'user',
    })
  }

  it('leaves a task with a quarantined account to its workflow, which retries with backoff', async () => {
    expect(await settling(new StreamBroken('creditAccount-user'))).toBe('waiting')
  })

  it('fails during an outage', async () => {
    await expect(settling(new Error('database unreachable'))).rejects.toThrow('database unreachable')
  })
})
