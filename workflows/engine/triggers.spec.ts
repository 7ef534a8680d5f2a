import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import type { EventStore, GlobalPosition, Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { taskEvents, taskFailed } from '#projections/testing/taskEvents.ts'
import { type AnyWorkflow, workflowId } from './engine.port.ts'
import { type OpenWork, runTriggers } from './triggers.ts'

const [TASK, USER] = ['task', 'user']
const facts = taskEvents(TASK, USER)
const HEAD = '00000000000000000042' as GlobalPosition
const NEXT = '00000000000000000043' as GlobalPosition
const UP_TO = { generations: HEAD, recoveries: HEAD, subscribers: HEAD }

interface Engines {
  /** What happens before a workflow is started. */
  readonly start?: (workflow: string) => Promise<void>
  /** Of those that the triggers report. */
  readonly failures?: number
  /** How long they run. */
  readonly ms?: number
}

/** Runs the triggers on a log that holds these events behind `HEAD`, and answers what they asked of the engine. */
async function asked(
  events: readonly object[],
  open: Partial<OpenWork>,
  { start, failures = 0, ms = 20 }: Engines = {},
) {
  const halt = new AbortController()
  const from: (string | undefined)[] = []
  const store = {
    async *subscribeAll({ from: position, signal }: Parameters<EventStore['subscribeAll']>[0]) {
      if (signal?.aborted) return
      from.push(position)
      yield { events: events.map((event) => ({ position: NEXT, ...event }) as Stored), position: NEXT, live: true }
      await delay(60_000, undefined, { signal }).catch(() => {})
    },
  } as unknown as EventStore
  const calls: unknown[][] = []
  const engine = {
    start: async (workflow: AnyWorkflow, input: never, ...options: unknown[]) => {
      await start?.(workflow.type)
      calls.push(['start', workflow.type, workflowId(workflow, input), input, ...options])
    },
    signal: async (workflow: AnyWorkflow, input: never, name: string) =>
      void calls.push(['signal', workflowId(workflow, input), name]),
  }
  const openWork = async () => ({ upTo: UP_TO, generations: [], recoveries: [], subscribers: [], ...open })
  const onError = vi.fn()
  const running = runTriggers({ store, engine, openWork, signal: halt.signal, onError })
  await delay(ms)
  halt.abort()
  await running
  expect(onError).toHaveBeenCalledTimes(failures)
  return { calls, from }
}

const generation = ['start', 'generateVideo', TASK, { taskId: TASK, userId: USER }, { priority: 4, owner: USER }]
const recovery = ['start', 'recoverVideo', `recover-${TASK}`, { taskId: TASK, userId: USER }]

describe('the triggers', () => {
  it('start again what was going on, though no event tells of it any more', async () => {
    const open = {
      generations: [{ taskId: TASK, userId: USER, priority: 4 }],
      recoveries: [{ taskId: TASK, userId: USER }],
    }
    expect((await asked([], open)).calls).toEqual([generation, recovery])
  })

  it('start a generation when a task is submitted', async () => {
    expect((await asked([facts.submitted, facts.queued, facts.succeeded], {})).calls).toEqual([generation])
  })

  it('start a recovery when a job of the provider timed out', async () => {
    expect((await asked([taskFailed(TASK, USER, 'render_timed_out', 'job')], {})).calls).toEqual([recovery])
  })

  it('start a recovery when the provider tells of a job whose answer was lost', async () => {
    expect((await asked([facts.found], {})).calls).toEqual([recovery])
  })

  it('wake a waiting task that was ended from outside', async () => {
    expect((await asked([taskFailed(TASK, USER, 'cancelled', null)], {})).calls).toEqual([['signal', TASK, 'turn']])
  })
  it('read from where the first kind of work is known, and begin nothing anew that ended before its own is', async () => {
    const upTo = { generations: NEXT, recoveries: HEAD, subscribers: HEAD }
    const { calls, from } = await asked([facts.submitted, taskFailed(TASK, USER, 'render_timed_out', 'job')], { upTo })
    expect([from, calls]).toEqual([[HEAD], [recovery]])
    expect((await asked([], { upTo: { ...upTo, subscribers: undefined } })).from).toEqual([undefined])
  })

  it('have a subscription looked at, at the start and with every event about it, whether its term runs already or not', async () => {
    const looked = [
      ['start', 'keepTerm', `term-${USER}`, { userId: USER }],
      ['signal', `term-${USER}`, 'look'],
    ]
    expect((await asked([], { subscribers: [USER] })).calls).toEqual(looked)
    const paid = { type: 'SubscriptionPaid', data: { userId: USER } }
    expect((await asked([paid], {})).calls).toEqual(looked)
  })

  it('begin new tasks while they still have subscriptions looked at', async () => {
    const subscribers = Array.from({ length: 100_000 }, (_, n) => `user-${n}`)
    const start = async (workflow: string) => void (workflow === 'keepTerm' && (await delay(5)))
    const { calls } = await asked([facts.submitted], { subscribers }, { start })
    expect(calls).toContainEqual(generation)
    expect(calls.length).toBeLessThan(100)
  })

  it('begin anew when a subscription could not be looked at', async () => {
    let isAway = true
    const start = async (workflow: string) => {
      if (workflow !== 'keepTerm' || !isAway) return
      isAway = false
      throw new Error('the engine is away')
    }
    const { calls, from } = await asked([], { subscribers: [USER] }, { start, failures: 1, ms: 1_200 })
    expect(from).toEqual([HEAD, HEAD])
    expect(calls).toContainEqual(['signal', `term-${USER}`, 'look'])
  })
})
