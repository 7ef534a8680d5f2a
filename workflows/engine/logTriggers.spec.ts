import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import type { GlobalPosition, Stored, SubscribeOptions } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Event } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { taskEvents, taskFailed } from '#projections/testing/taskEvents.ts'
import { subscriptionTrigger } from '../subscriptions/subscriptionTriggers.ts'
import { generationTrigger, recoveryTrigger } from '../tasks/taskTriggers.ts'
import { type AnyWorkflow, workflowId } from './engine.port.ts'
import { runLogTriggers } from './logTriggers.ts'

const [TASK, USER] = ['task', 'user']
const facts = taskEvents(TASK, USER)
const HEAD = '00000000000000000042' as GlobalPosition
const NEXT = '00000000000000000043' as GlobalPosition
const UP_TO = { generations: HEAD, recoveries: HEAD, subscribers: HEAD }

interface Open {
  readonly generations?: readonly { taskId: string; userId: string; priority: number }[]
  readonly recoveries?: readonly { taskId: string; userId: string }[]
  readonly subscribers?: readonly string[]
  readonly upTo?: Readonly<Record<keyof typeof UP_TO, GlobalPosition | undefined>>
}

interface Options {
  /** Runs before a workflow starts, with the id of its run, and can wait for the next wave. */
  readonly start?: (workflow: string, id: string, wave: () => Promise<void>) => Promise<void>
  readonly ended?: readonly string[]
  /** Errors that subscribing to the log throws, one after another. */
  readonly logErrors?: Error[]
  /** Number of errors that the triggers report. */
  readonly failures?: number
  /** How often all that waits goes on: slow starts, and pauses before a retry. */
  readonly waves?: number
}

/** Runs the triggers on a log with these events after `HEAD`, and returns the calls to the engine that ended within the waves. */
async function callsFor(
  events: readonly { type: string; data: object }[],
  { generations = [], recoveries = [], subscribers = [], upTo = UP_TO }: Open,
  { start, ended = [], logErrors = [], failures = 0, waves = 8 }: Options = {},
) {
  const halt = new AbortController()
  const waiting: (() => void)[] = []
  const wave = () => new Promise<void>((resolve) => void waiting.push(resolve))
  const nextWave = () => {
    for (const goOn of waiting.splice(0)) goOn()
    return turn()
  }
  const from: (string | undefined)[] = []
  const stored = events.map((event) => {
    const stream = event.type.startsWith('Subscription') ? `subscription-${USER}` : `videoTask-${TASK}`
    return { position: NEXT, stream, ...event } as Stored
  })
  const store = {
    async *subscribeAll<E extends Event>({ from: position, signal }: SubscribeOptions) {
      if (signal.aborted) return
      from.push(position)
      const error = logErrors.shift()
      if (error) throw error
      yield { events: stored as Stored<E>[], position: NEXT, live: true }
      await once(signal, 'abort')
    },
  }
  const calls: unknown[][] = []
  const engine = {
    start: async (workflow: AnyWorkflow, input: never, ...options: unknown[]) => {
      const id = workflowId(workflow, input)
      await start?.(workflow.type, id, wave)
      calls.push(['start', workflow.type, id, input, ...options])
    },
    signal: async (workflow: AnyWorkflow, input: never, name: string) =>
      void calls.push(['signal', workflowId(workflow, input), name]),
  }
  const triggers = [
    generationTrigger(
      async () => ({ upTo: upTo.generations, items: generations }),
      async ({ taskId }) => (ended.includes(taskId) ? 'ended' : 'waiting'),
    ),
    recoveryTrigger(async () => ({ upTo: upTo.recoveries, items: recoveries })),
    subscriptionTrigger(async () => ({ upTo: upTo.subscribers, items: subscribers })),
  ]
  const onError = vi.fn()
  const running = runLogTriggers({ store, engine, triggers, signal: halt.signal, onError, pause: wave })
  await turn()
  for (let n = 0; n < waves; n++) await nextWave()
  const inTime = [...calls]
  halt.abort()
  await nextWave()
  await running
  expect(onError).toHaveBeenCalledTimes(failures)
  return { calls: inTime, from }
}

const generation = [
  'start',
  'generateVideo',
  TASK,
  { taskId: TASK, userId: USER },
  { priority: 4, owner: USER, resumed: false },
]
const recovery = ['start', 'recoverVideo', `recover-${TASK}`, { taskId: TASK, userId: USER }]
const submitted = (taskId: string, priority = 4) => ({
  type: 'VideoTaskSubmitted',
  data: { ...facts.submitted.data, taskId, priority },
})
const startedIds = (calls: readonly unknown[][]) => calls.filter(([call]) => call === 'start').map(([, , id]) => id)

describe('log triggers', () => {
  it('resume open work that no later event mentions', async () => {
    const open = {
      generations: [{ taskId: TASK, userId: USER, priority: 4 }],
      recoveries: [{ taskId: TASK, userId: USER }],
    }
    expect((await callsFor([], open)).calls).toEqual([generation, recovery])
  })

  it('start a generation when a task is submitted', async () => {
    expect((await callsFor([facts.submitted, facts.queued, facts.succeeded], {})).calls).toEqual([generation])
  })

  it('report an event of a newer release, and react to the events after it', async () => {
    const newer = { ...facts.submitted, meta: { schema: 2 } }
    const { calls } = await callsFor(
      [{ type: 'VideoTaskCloned', data: {} }, newer, submitted('next')],
      {},
      { failures: 4 },
    )
    expect(startedIds(calls)).toEqual(['next'])
  })

  it('start no generation of a task that has ended', async () => {
    const open = { generations: [{ taskId: 'over', userId: USER, priority: 4 }] }
    const { calls } = await callsFor([facts.submitted, submitted('done')], open, { ended: ['over', 'done'] })
    expect(calls).toEqual([generation])
  })

  it('start a recovery when a provider job timed out', async () => {
    expect((await callsFor([taskFailed(TASK, USER, 'render_timed_out', 'job')], {})).calls).toEqual([recovery])
  })

  it('start a recovery when the provider reports a job whose answer was lost', async () => {
    expect((await callsFor([facts.found], {})).calls).toEqual([recovery])
  })

  it('signal the generation of a task that was cancelled', async () => {
    expect((await callsFor([taskFailed(TASK, USER, 'cancelled', null)], {})).calls).toEqual([['signal', TASK, 'turn']])
  })

  it('read from the earliest checkpoint, and skip events that the open work of their kind already includes', async () => {
    const upTo = { generations: NEXT, recoveries: HEAD, subscribers: HEAD }
    const { calls, from } = await callsFor([facts.submitted, taskFailed(TASK, USER, 'render_timed_out', 'job')], {
      upTo,
    })
    expect([from, calls]).toEqual([[HEAD], [recovery]])
    expect((await callsFor([], { upTo: { ...upTo, subscribers: undefined } })).from).toEqual([undefined])
  })

  it('recheck each open subscription at startup and at each of its events, running or not', async () => {
    const rechecked = [
      ['start', 'runSubscriptionLifecycle', `subscription-${USER}`, { userId: USER }],
      ['signal', `subscription-${USER}`, 'subscriptionChanged'],
    ]
    expect((await callsFor([], { subscribers: [USER] })).calls).toEqual(rechecked)
    const paid = { type: 'SubscriptionPaid', data: { userId: USER } }
    expect((await callsFor([paid], {})).calls).toEqual(rechecked)
  })

  it('start new tasks while open subscriptions are still being rechecked', async () => {
    const subscribers = Array.from({ length: 100_000 }, (_, n) => `user-${n}`)
    const start = async (workflow: string, _: string, wave: () => Promise<void>) => {
      if (workflow === 'runSubscriptionLifecycle') await wave()
    }
    const { calls } = await callsFor([facts.submitted], { subscribers }, { start, waves: 2 })
    expect(calls).toContainEqual(generation)
    expect(calls.length).toBeLessThan(200)
  })

  it('repeat a failed start without following the log again', async () => {
    let isDown = true
    const start = async (workflow: string) => {
      if (workflow !== 'runSubscriptionLifecycle' || !isDown) return
      isDown = false
      throw new Error('the engine is down')
    }
    const { calls, from } = await callsFor([facts.submitted], { subscribers: [USER] }, { start, failures: 1 })
    expect(from).toEqual([HEAD])
    expect(calls).toContainEqual(generation)
    expect(calls).toContainEqual(['signal', `subscription-${USER}`, 'subscriptionChanged'])
  })

  it('read the open work again when the log cannot be followed', async () => {
    const logErrors = [new Error('the log is down')]
    const { calls, from } = await callsFor([facts.submitted], {}, { logErrors, failures: 1 })
    expect([from, calls]).toEqual([[HEAD, HEAD], [generation]])
  })
})

describe('a backlog of starts', () => {
  const slowly = (_workflow: string, _id: string, wave: () => Promise<void>) => wave()

  it('starts 32 workflows at a time', async () => {
    const events = Array.from({ length: 100 }, (_, n) => submitted(`task-${n}`))
    const started = async (waves: number) =>
      new Set(startedIds((await callsFor(events, {}, { start: slowly, waves })).calls)).size
    expect([await started(1), await started(3), await started(4)]).toEqual([32, 96, 100])
  })

  it('starts paid tasks before free ones that were submitted earlier', async () => {
    const free = Array.from({ length: 200 }, (_, n) => submitted(`free-${n}`, 4))
    const paid = Array.from({ length: 20 }, (_, n) => submitted(`paid-${n}`, 1))
    const { calls } = await callsFor([...free, ...paid], {}, { start: slowly })
    const ids = startedIds(calls) as string[]
    const firstPaid = ids.findIndex((id) => id.startsWith('paid'))
    // The starts that were in flight when the paid tasks arrived.
    expect(firstPaid).toBe(32)
    expect(ids.slice(firstPaid, firstPaid + 20).every((id) => id.startsWith('paid'))).toBe(true)
    expect(ids).toHaveLength(220)
  })

  it('starts the other tasks while one start keeps failing', async () => {
    const events = Array.from({ length: 100 }, (_, n) => submitted(`task-${n}`))
    let attempts = 0
    const start = async (_: string, id: string) => {
      if (id === 'task-0' && ++attempts < 5) throw new Error('the engine refused it')
    }
    const { calls } = await callsFor(events, {}, { start, failures: 4 })
    expect(startedIds(calls).indexOf('task-0')).toBe(99)
  })
})
