import { beforeEach, describe, expect, it } from 'vitest'
import type { Origin } from '#backend/kernel/eventsourcing/command.ts'
import { createOrigins } from '#backend/kernel/eventsourcing/createOrigins.ts'
import { createHandle } from '#backend/kernel/eventsourcing/handle.ts'
import { createMemoryEventStore } from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import { A_FILE, AN_ATTEMPT, anOrder } from '#backend/tasks/testing/anOrder.ts'
import { type VideoTaskCommand, videoTask } from '#backend/tasks/videoTask.decider.ts'
import { sweepHolds } from './sweepHolds.workflow.ts'
import { createTaskActivities } from './taskActivities.ts'
import type { ActivityDeps } from './taskCommands.ts'

const at = '2026-01-01T00:00:00.000Z'

/** The commands that bring a submitted task into each state. */
const STATES: Readonly<Record<string, readonly VideoTaskCommand[]>> = {
  waiting: [],
  queued: [{ type: 'Queue', at }],
  rendering: [{ type: 'RequestRender', ...AN_ATTEMPT, at }],
  downloading: [
    { type: 'RequestRender', ...AN_ATTEMPT, at },
    { type: 'StartDownload', at },
  ],
  succeeded: [
    { type: 'RequestRender', ...AN_ATTEMPT, at },
    { type: 'Succeed', file: A_FILE, at },
  ],
  failed: [{ type: 'Fail', code: 'provider_failed', detail: 'why', at }],
  deleted: [{ type: 'Delete', at }],
}

let store: ReturnType<typeof createMemoryEventStore>
let handle: ReturnType<typeof createHandle>
let releases: (readonly [userId: string, taskId: string, reason: string, origin: Origin | undefined])[]
let holds: { taskId: string; userId: string }[]
let ages: number[]
beforeEach(() => {
  store = createMemoryEventStore()
  handle = createHandle(store)
  releases = []
  holds = []
  ages = []
})

const send = (taskId: string, command: VideoTaskCommand) =>
  handle(videoTask, taskId, command, { commandId: command.type, actor: 'user:user', correlationId: 'request' })

/** Runs the workflow's body with the real activity on the holds that are old enough. */
async function sweep(): Promise<void> {
  const deps: Partial<ActivityDeps> = {
    handle,
    findOrigin: createOrigins(store),
    clock: () => Date.parse(at),
    holdsOlderThan: async (ms) => {
      ages.push(ms)
      return holds
    },
    credits: {
      capture: () => expect.fail('the sweep captures nothing'),
      release: async (userId, taskId, reason, origin) => releases.push([userId, taskId, reason, origin]),
    },
  }
  const activities = createTaskActivities(deps as ActivityDeps)
  const context = { signal: new AbortController().signal }
  const ctx = { activities: { sweepHolds: () => activities.sweepHolds({}, context) } }
  await sweepHolds.run(ctx as unknown as Parameters<typeof sweepHolds.run>[0], {})
}

describe('the sweep of holds', () => {
  it('keeps the name under which its runs are stored', () => {
    expect(sweepHolds.type).toBe('sweepHolds')
  })

  it('asks for holds that are older than 20 seconds', async () => {
    await sweep()
    expect(ages).toEqual([20_000])
  })

  it('releases each hold whose task was never submitted, and abandons its task', async () => {
    holds = ['lost', 'lost too'].map((taskId) => ({ taskId, userId: `owner of ${taskId}` }))
    await sweep()
    const abandoned = store.log.map(({ stream, type, data }) => ({ stream, type, data }))
    expect(abandoned).toEqual(
      ['lost', 'lost too'].map((taskId) => ({
        stream: `videoTask-${taskId}`,
        type: 'VideoTaskAbandoned',
        data: { taskId, at },
      })),
    )
    expect(releases).toEqual(
      store.log.map(({ id }, n) => [
        holds[n]!.userId,
        holds[n]!.taskId,
        'abandoned',
        { correlationId: holds[n]!.taskId, causationId: id },
      ]),
    )
  })

  it.for(Object.keys(STATES))('keeps the hold of a task that is %s', async (state) => {
    holds = [{ taskId: 'living', userId: 'user' }]
    await send('living', { type: 'Submit', order: anOrder({ taskId: 'living' }), at })
    for (const command of STATES[state]!) await send('living', command)
    const before = store.log.length
    await sweep()
    expect(releases).toEqual([])
    expect(store.log).toHaveLength(before)
  })

  it('releases the hold again after a crash between abandoning the task and releasing', async () => {
    holds = [{ taskId: 'lost', userId: 'user' }]
    await send('lost', { type: 'Abandon', taskId: 'lost', at })
    await sweep()
    expect(releases.map(([, taskId]) => taskId)).toEqual(['lost'])
  })
})
